/// A version of BlueZ, and what is known to be wrong with it.
///
/// ```swift
/// let debian12 = BlueZVersion(major: 5, minor: 66)
/// print(debian12.knownFaults.count)                              // 4
/// print(BlueZVersion(major: 5, minor: 82).knownFaults.isEmpty)   // true
/// ```
///
/// The radio works with each of these faults; the app may tell a person what it cannot do.
public struct BlueZVersion: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The number before the point.
  public let major: Int
  /// The number after the point.
  public let minor: Int

  /// Makes a version.
  public init(major: Int, minor: Int) {
    self.major = major
    self.minor = minor
  }

  /// The two numbers with a point.
  public var description: String { "\(major).\(minor < 10 ? "0" : "")\(minor)" }

  /// The order of the versions.
  public static func < (left: BlueZVersion, right: BlueZVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  /// One sentence for each known fault, with what it means here, and the version that mends it.
  ///
  /// *Source*: the history of BlueZ, and runs of 5.66.
  public var knownFaults: [String] {
    let faults: [(fixed: Int, sentence: String)] = [
      (
        67,
        "Only one device at a time can listen to this one; the others wait their turn. "
          + "BlueZ 5.67 mends that."
      ),
      (67, "Values may arrive out of order; messages are put into order. BlueZ 5.67 mends that."),
      (69, "Values have at most 508 bytes. BlueZ 5.69 mends that."),
      (
        74,
        "The service ends when Bluetooth is switched off while this device is advertised; what was "
          + "asked of it is asked again when it is back. BlueZ 5.74 mends that."
      ),
    ]
    return faults.filter { self < BlueZVersion(major: 5, minor: $0.fixed) }.map(\.sentence)
  }
}
