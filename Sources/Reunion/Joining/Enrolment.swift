import ReunionCore
import ReunionFlow
import ReunionStore

/// One device's way into a space by a link: it joins once, and keeps the membership beside the store.
///
/// The same link again joins no second time. Another link joins anew, and its membership takes the
/// place of the old one.
final class Enrolment: Sendable {
  private struct State {
    /// What is under way, so that no link is taken twice at a time.
    var entering: Task<Membership, any Error>?
    /// What was joined and could not be kept yet.
    var unkept: Membership?
    /// What the server forgot: it may still know whose token it was.
    var forgotten: Membership?
    /// Whether it has joined again in this run: a server that forgets at once is asked no second time.
    var hasRejoined = false
  }

  /// The space that is wanted; nil for the one that the link opens.
  private let space: SpaceID?
  private let link: String
  private let hash: String
  private let memberships: MembershipFolder
  private let store: Store
  private let state = Lock(State())

  /// - Throws: `JoinError` for an invalid link.
  init(_ space: SpaceID?, by link: String, in store: Store) throws {
    self.space = space
    self.link = try Membership.normalized(link)
    hash = Hexadecimal.text(SHA256.hash(Array(self.link.utf8)))
    memberships = MembershipFolder(of: store)
    self.store = store
  }

  /// The membership that is kept, or a new one by the link.
  ///
  /// - Throws: `JoinError`, or `StoreError` where the membership cannot be read or kept.
  func membership() async throws -> Membership {
    let task = state.withLock { state in
      if let entering = state.entering { return entering }
      let entering = Task { [self] in
        defer { self.state.withLock { $0.entering = nil } }
        return try await enter()
      }
      state.entering = entering
      return entering
    }
    return try await task.value
  }

  /// Forgets the membership, of which the server knows nothing any more, so that the next try joins
  /// by the link again; false where that was done in this run already.
  func rejoins() -> Bool {
    let isFirst = state.withLock { state in
      defer { state.hasRejoined = true }
      return !state.hasRejoined
    }
    guard isFirst, let space else { return false }
    do {
      let forgotten = try kept()?.membership
      state.withLock { $0.forgotten = forgotten }
      try memberships.forget(space)
      return true
    } catch {
      return false
    }
  }

  private func enter() async throws -> Membership {
    if let unkept = state.withLock({ $0.unkept }) {
      try keep(unkept)
      return unkept
    }
    if let kept = try kept() {
      try kept.membership.giveNumber(to: store, isNew: false)
      return kept.membership
    }
    // The number under which the store writes: the server lets it speak for no other.
    let joined = try await Membership.join(
      link: link, device: space.map { store.device(in: $0) } ?? store.device,
      showing: try earlier())
    guard let opened = joined.spaceIDs.first,
      space == nil || joined.spaceIDs.contains(space ?? opened)
    else {
      throw JoinError(
        .otherSpace,
        "The link opens another space at \(joined.server), not \(space?.description ?? "one"): ask"
          + " for a link to this one.")
    }
    try joined.giveNumber(to: store)
    state.withLock { $0.unkept = joined }
    try keep(joined)
    return joined
  }

  private func keep(_ membership: Membership) throws {
    guard let space = space ?? membership.spaceIDs.first else { return }
    try memberships.keep(.init(link: hash, membership: membership), for: space)
    state.withLock { $0.unkept = nil }
  }

  /// A membership of the same server, so that the device has one token for all of its spaces.
  private func earlier() throws -> Membership? {
    let server = try Membership.server(of: link)
    if let forgotten = state.withLock({ $0.forgotten }), forgotten.server == server {
      return forgotten
    }
    return try memberships.all().map(\.membership).first { $0.server == server }
  }

  /// What the link gave; nil also where it cannot be understood, so that the link is taken again.
  private func kept() throws -> MembershipFolder.Kept? {
    guard let space else { return try memberships.all().first { $0.link == hash } }
    return try memberships.all(of: space).first { $0.link == hash }
  }
}
