/// One line of the result: ours beside a peer, from the same run.
package struct Row: Encodable {
  package let name: String
  package let ours: Double
  package let peer: Double
  package let peerName: String
  /// Ours ÷ peer in cost: lower is better. Nil where the peer is not there.
  package let ratio: Double?
  package let unit: String
  /// Heap allocations of ours for one operation, where they were counted.
  package var allocations: Double?
  /// What a reader must know of the figures; printed below the line.
  package var notes: [String] = []

  /// A row of costs: nanoseconds, bytes.
  package init(_ name: String, ours: Double, peer: Double, peerName: String, unit: String) {
    self.name = name
    self.ours = ours
    self.peer = peer
    self.peerName = peerName
    self.unit = unit
    ratio = peer > 0 ? ours / peer : nil
  }

  /// A row of speeds, in operations a second; the ratio is still one of costs.
  package init(_ name: String, oursPerSecond: Double, peerPerSecond: Double, peerName: String) {
    self.name = name
    ours = oursPerSecond
    peer = peerPerSecond
    self.peerName = peerName
    unit = "per second"
    ratio = peerPerSecond / oursPerSecond
  }

  private enum CodingKeys: CodingKey { case name, ours, peer, peerName, ratio, unit, allocations }
}
