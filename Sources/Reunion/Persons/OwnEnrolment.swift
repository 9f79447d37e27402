import ReunionCore
import ReunionFlow
import ReunionStore

/// One device's way into a space of its person's, by what it has joined before.
final class OwnEnrolment: Sendable {
  private let space: SpaceID
  private let name: String?
  private let memberships: MembershipFolder
  private let file: PersonFile
  private let store: Store
  private let state = Lock(false)

  init(_ space: SpaceID, called name: String?, in store: Store) {
    self.space = space
    self.name = name
    memberships = MembershipFolder(of: store)
    file = PersonFile(of: store)
    self.store = store
  }

  /// The membership that is kept; of an own space otherwise what the server gives by another one.
  ///
  /// - Throws: `JoinError`, or `StoreError` where something cannot be read or kept.
  func membership() async throws -> Membership {
    if let kept = try memberships.all(of: space).first {
      try kept.membership.giveNumber(to: store, isNew: false)
      return kept.membership
    }
    guard let person = try file.read(), let own = person.name(of: space) else {
      throw JoinError(
        .refused, "This device has not joined that space. Open an invitation to it, or pair.")
    }
    let server = try await PersonServer(memberships)
    let opened = try await server.open(
      space, named: own, of: person.person, called: name)
    try opened.giveNumber(to: store)
    try memberships.keep(.init(link: "", membership: opened), for: space)
    return opened
  }

  /// Forgets the membership of which the server knows nothing any more; false where that was done in this
  /// run already, or it is no own space, which nobody can open anew.
  func rejoins() -> Bool {
    let isFirst = state.withLock { hasRejoined in
      defer { hasRejoined = true }
      return !hasRejoined
    }
    guard isFirst, (try? file.read())?.owns(space) == true else { return false }
    do {
      try memberships.forget(space)
      return true
    } catch {
      return false
    }
  }
}
