/// What uploaded bytes are for. The application checks them accordingly.
public enum UploadUse: String, Codable, Sendable, CaseIterable {
  /// A file as it was taken.
  case original
  /// A small picture of it, for everybody.
  case preview
}
