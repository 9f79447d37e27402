/// What the replicas of a world tell each other beside their changes, and in what form newcomers get these.
package struct WorldTaps: Sendable {
  var presence: WorldPresence?
  var standing: WorldStanding?
  var blocks: WorldBlocks?
  /// Whether what was deleted goes for good, and replicas are told so.
  var raisesHorizon = false
  /// Whether replicas audit each other.
  var audits = false

  /// By default nothing.
  package init(
    presence: WorldPresence? = nil, standing: WorldStanding? = nil, blocks: WorldBlocks? = nil,
    raisesHorizon: Bool = false, audits: Bool = false
  ) {
    self.audits = audits
    self.raisesHorizon = raisesHorizon
    self.blocks = blocks
    self.presence = presence
    self.standing = standing
  }
}
