/// What a radio waits for before it can be used. Each may become another at any time.
public enum RadioState: Hashable, Sendable {
  /// Not known yet.
  case unknown
  /// This machine has no adapter for Bluetooth LE; one may be plugged in later.
  case unsupported
  /// This program may not use Bluetooth.
  case unauthorized
  /// Somebody has switched Bluetooth off.
  case off
  /// The system's Bluetooth service is gone; it may come back.
  case serviceLost
  /// Ready.
  case on

  /// One sentence that names the remedy, for a person; nil when there is nothing to mend.
  public var remedy: String? {
    switch self {
    case .unknown: "Wait until the system has said whether Bluetooth is on."
    case .unsupported: "Plug in a Bluetooth adapter: this machine has none."
    case .unauthorized:
      "Allow this program to use Bluetooth in the system's settings; on Linux, add its user to the group bluetooth."
    case .off: "Switch Bluetooth on."
    case .serviceLost: "Start the system's Bluetooth service (bluetoothd) again."
    case .on: nil
    }
  }
}
