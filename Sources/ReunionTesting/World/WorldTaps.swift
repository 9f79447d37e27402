/// What the replicas of a world tell each other beside their changes.
package struct WorldTaps: Sendable {
  var presence: WorldPresence?
  var standing: WorldStanding?

  /// By default nothing.
  package init(presence: WorldPresence? = nil, standing: WorldStanding? = nil) {
    self.presence = presence
    self.standing = standing
  }
}
