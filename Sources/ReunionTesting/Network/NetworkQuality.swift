/// What a simulated network does to the packets of one direction, below the ordered link.
///
/// ```swift
/// var train = NetworkQuality.crowded
/// train.delayMilliseconds = 200...3000
/// train.lossChance = 0.2
/// let world = World(seed: 11, model: Model(Album.schema))
/// let (phone, server) = (try world.makeReplica("phone"), try world.makeReplica("server"))
/// world.connect(phone, to: server).setQuality(train)
/// ```
///
/// Each chance, from 0 to 1, is for one packet. The link above sends lost packets again and drops
/// damaged ones, so that a session sees whole messages in order, late ones, or the end of the link.
public struct NetworkQuality: Hashable, Sendable {
  /// How long a packet travels.
  public var delayMilliseconds: ClosedRange<Int>
  /// The chance that a packet is lost.
  public var lossChance: Double
  /// The chance that a packet arrives twice.
  public var duplicateChance: Double
  /// The chance that a packet overtakes those before it.
  public var reorderChance: Double
  /// The chance that a byte of a packet has changed when it arrives.
  public var corruptionChance: Double
  /// The most bytes that a packet carries, its head included.
  public var packetBytesMax: Int
  /// How many bytes pass in a second; nil for no limit.
  public var bytesPerSecond: Int?

  /// Makes a quality; by default a good network of 5 to 50 ms.
  public init(
    delayMilliseconds: ClosedRange<Int> = 5...50, lossChance: Double = 0,
    duplicateChance: Double = 0, reorderChance: Double = 0, corruptionChance: Double = 0,
    packetBytesMax: Int = 64 * 1024, bytesPerSecond: Int? = nil
  ) {
    self.delayMilliseconds = delayMilliseconds
    self.lossChance = lossChance
    self.duplicateChance = duplicateChance
    self.reorderChance = reorderChance
    self.corruptionChance = corruptionChance
    self.packetBytesMax = max(packetBytesMax, Packet.headBytes + 1)
    self.bytesPerSecond = bytesPerSecond
  }

  /// Nothing is lost, and everything arrives in order.
  public static let good = NetworkQuality()
  /// A crowded Wi-Fi: some loss, some packets late.
  public static let crowded = NetworkQuality(
    delayMilliseconds: 10...400, lossChance: 0.03, duplicateChance: 0.01, reorderChance: 0.05,
    packetBytesMax: 1400, bytesPerSecond: 200_000)
  /// A radio with short packets, many of them lost or damaged.
  public static let radio = NetworkQuality(
    delayMilliseconds: 20...120, lossChance: 0.08, duplicateChance: 0.03, reorderChance: 0.1,
    corruptionChance: 0.03, packetBytesMax: 185, bytesPerSecond: 12_000)
}
