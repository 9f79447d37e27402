/// What a file is opened for.
public enum DiskAccess: Sendable {
  /// To read a file that is there.
  case reading
  /// To read and write a file, which is made where it is not there.
  case writing
  /// To read and write a file that is empty: made, or cut off.
  case creating
}
