/// How well a simulated medium carries what is sent, and how its systems behave.
///
/// The chances are for one value of a characteristic. A real link layer repeats what is lost; what really
/// loses and reorders values is the system above it, and these chances stand for that too.
public struct RadioQuality: Hashable, Sendable {
  /// The most bytes of an attribute's operation; a value has 3 fewer.
  public var mtu = 517
  /// How often two connected devices meet.
  public var interval: Duration = .milliseconds(15)
  /// How many packets go each way when they meet.
  public var packetsPerInterval = 4
  /// How many bytes a packet has; the layers between take 7 of a value's first one.
  public var packetBytes = 251
  /// The chance that a value is lost.
  public var lossChance = 0.0
  /// The chance that a value comes twice.
  public var duplicateChance = 0.0
  /// The chance that a value comes some intervals late, behind others.
  public var reorderChance = 0.0
  /// The chance that the connection breaks in place of carrying a value.
  public var cutChance = 0.0
  /// How many values a radio takes before it asks the program to wait.
  public var queuedValuesMax = 200
  /// After how long the system gives up to connect; nil for never, as on CoreBluetooth.
  public var connectLimit: Duration? = .seconds(40)
  /// After how long the system forgets a device that is not connected; nil for never.
  public var memoryLimit: Duration? = .seconds(30)

  /// Makes the quality of a good link of BlueZ.
  public init() {}

  /// How many packets a value of `byteCount` bytes takes.
  func packetCount(of byteCount: Int) -> Int {
    max(1, (byteCount + 7 + packetBytes - 1) / packetBytes)
  }
}
