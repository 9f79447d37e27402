import ReunionCore

/// A space that a server serves, and who may enter it.
struct ServedSpace: Sendable {
  let id: SpaceID
  let access: Access
  /// Its name, for people who join.
  let name: @Sendable () -> String
  /// Whether it is a person's own: its members are that person's devices, and nobody invites others.
  var isOwn = false
}
