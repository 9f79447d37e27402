import ReunionCore

/// A space that a server serves, and who may enter it.
struct ServedSpace: Sendable {
  let id: SpaceID
  let access: Access
  /// Its name, for people who join.
  let name: @Sendable () -> String
}
