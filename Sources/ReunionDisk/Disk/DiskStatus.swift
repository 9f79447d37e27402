/// What is at a path of a disk.
public enum DiskStatus: Hashable, Sendable {
  /// A file, with its size in bytes.
  case file(byteCount: UInt64)
  /// A folder.
  case folder
}
