/// The way that a message takes: what waits on one never holds up the other. Order holds within one
/// lane alone.
public enum Lane: UInt8, Hashable, Sendable, CaseIterable {
  /// Carries what is small and wanted at once; its frames go before those of blobs.
  case records = 1
  /// Carries what is large; it takes what records leave.
  case blobs = 2
}
