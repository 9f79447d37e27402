/// What the commands call themselves.
public enum Release {
  /// The version that they are of: with one release, all of them get the next.
  public static let version = "0.1.0"
}
