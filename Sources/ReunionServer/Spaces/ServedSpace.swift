import ReunionCore

/// A space that a server serves, and who may enter it.
struct ServedSpace: Sendable {
  let id: SpaceID
  let access: Access
  /// Its name, for people who join.
  let name: @Sendable () -> String
  /// The person whose own it is: its members are that person's devices, and nobody invites others.
  var owner: RecordID?

  /// Whether it is a person's own.
  var isOwn: Bool { owner != nil }
}
