/// What uploaded bytes are for; the application checks them by that.
public enum UploadUse: String, Codable, Sendable, CaseIterable {
  /// A file as it was taken.
  case original
  /// A small picture of it, for everybody.
  case preview
}
