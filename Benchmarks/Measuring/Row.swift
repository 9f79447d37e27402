/// One line of the result: ours beside a peer, from the same run.
public struct Row: Encodable {
  public let name: String
  public let ours: Double
  public let peer: Double
  public let peerName: String
  /// Ours ÷ peer in cost: lower is better.
  public let ratio: Double
  public let unit: String
  /// Heap allocations of ours for one operation, where they were counted.
  public var allocations: Double?
  /// What a reader must know of the figures; printed below the line.
  public var notes: [String] = []

  /// A row of costs: nanoseconds, bytes.
  public init(_ name: String, ours: Double, peer: Double, peerName: String, unit: String) {
    self.name = name
    self.ours = ours
    self.peer = peer
    self.peerName = peerName
    self.unit = unit
    ratio = ours / peer
  }

  /// A row of speeds, so many a second; the ratio is still one of costs.
  public init(_ name: String, oursPerSecond: Double, peerPerSecond: Double, peerName: String) {
    self.name = name
    ours = oursPerSecond
    peer = peerPerSecond
    self.peerName = peerName
    unit = "per second"
    ratio = peerPerSecond / oursPerSecond
  }

  private enum CodingKeys: CodingKey { case name, ours, peer, peerName, ratio, unit, allocations }
}
