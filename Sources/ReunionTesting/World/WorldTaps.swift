/// What the replicas of a world tell each other beside their changes, and in what form newcomers get these.
package struct WorldTaps: Sendable {
  var presence: WorldPresence?
  var standing: WorldStanding?
  var blocks: WorldBlocks?

  /// By default nothing.
  package init(
    presence: WorldPresence? = nil, standing: WorldStanding? = nil, blocks: WorldBlocks? = nil
  ) {
    self.blocks = blocks
    self.presence = presence
    self.standing = standing
  }
}
