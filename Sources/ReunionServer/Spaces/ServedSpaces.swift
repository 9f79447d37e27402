import FoundationEssentials
import ReunionCommandLine
import ReunionCore
import ReunionFlow
public import ReunionStore

/// The spaces of a server, each with its own members.
///
/// ```swift
/// let spaces = try ServedSpaces(folder: "./data")
/// let (space, access) = try spaces.open("Our notes")
/// let secret = try access.invite(.add)
/// print(spaces.names, space, secret)
/// ```
///
/// A device has one token, and a role in each space: it shows its token when it joins another
/// space. *Thread*: any. *Durability*: a new space is on disk when it is made.
public final class ServedSpaces: Sendable {
  /// The name of the first space of a server.
  package static let firstName = "main"
  /// The most spaces that a server may have. Each keeps its members in memory, and hears of every
  /// commit.
  public static let countMax = 10_000

  /// The entities of access and of persons. The model of a store with served spaces needs them.
  public static let entities =
    Access.entities
    + Model(PersonDevice.schema, OwnSpace.schema, PairingLinkRecord.schema).entities

  /// The store.
  public let store: Store
  private let spaces: Lock<[ServedSpace]>
  /// The spaces of persons, by when they were opened here.
  private let own: Lock<[ServedSpace]>
  /// Where an invitation to a space that is not there makes it, what makes the access to it.
  private let makesSpaces: Bool
  private let making = Lock(())
  private let observer = Lock<(@Sendable (Access) -> Void)?>(nil)

  /// One space alone, of an app that made it.
  init(_ space: SpaceID, in store: Store, access: Access, name: @escaping @Sendable () -> String) {
    self.store = store
    makesSpaces = false
    own = Lock([])
    spaces = Lock([ServedSpace(id: space, access: access, name: name)])
  }

  /// Opens all spaces that a server made in a store, and makes one named `main` if there is none.
  /// An invitation to another space makes that one. The store's model needs `Access.entities`; with
  /// all `entities`, persons have their own spaces.
  ///
  /// *Cost*: reads who may enter each space.
  /// - Throws: `StoreError` `invalidModel` for a model without those entities, and what reading and
  ///   writing throw.
  public init(in store: Store) throws {
    self.store = store
    makesSpaces = true
    var found: [ServedSpace] = []
    for space in try store.spaces {
      for named in try store.fetch(Query<SpaceName>(in: space))
      where Access.space(of: named.space) == space {
        found.append(try Self.open(named.space, named.name, in: store))
      }
    }
    found.sort { left, right in
      let (one, other) = (left.name(), right.name())
      if one == other { return left.id.description < right.id.description }
      return one == Self.firstName || (other != Self.firstName && one < other)
    }
    if found.isEmpty { found.append(try Self.make(Self.firstName, in: store)) }
    found[0].access.takesUnnamed(true)
    spaces = Lock(found)
    let theirs = try Persons.spaces(in: store)
    // One that is the members of another was opened before ids were checked: whoever opened it would say
    // who may enter that one. `reunion verify` names it.
    let members = Set((found.map(\.id) + theirs.map(\.space)).map(Access.space))
    own = Lock(
      try theirs.filter { !members.contains($0.space) && $0.space != Persons.space }
        .map { try Self.openOwn($0.space, of: $0.owner, in: store) })
  }

  /// The first space: what is asked without the name of one, by who has a role in it, is about it.
  var first: ServedSpace { spaces.withLock { $0[0] } }

  /// All of them, persons' own last.
  var all: [ServedSpace] { invited + own.withLock { $0 } }

  /// Those to which people are invited.
  private var invited: [ServedSpace] { spaces.withLock { $0 } }

  /// Whether persons may have spaces of their own here.
  var hasOwn: Bool { makesSpaces && Persons.isPossible(in: store) }
  /// Whether it may have several spaces, of people who have nothing to do with each other.
  var isShared: Bool { makesSpaces }
  /// How many spaces are a person's own.
  var ownCount: Int { own.withLock { $0.count } }

  /// The access to the first space.
  public var access: Access { first.access }

  /// The names of the spaces, without persons' own.
  public var names: [String] { invited.map { $0.name() } }

  /// The space with that id, or whose members have it.
  func find(_ id: SpaceID) -> ServedSpace? {
    all.first { $0.id == id || $0.access.space == id }
  }

  /// The space with that name, and who may enter it; it is made if there is none. Names are of this
  /// server alone, and tell the members which of its spaces they joined.
  ///
  /// - Throws: `Access.Refusal` where there would be more than `countMax`, and `StoreError`.
  public func open(_ name: String) throws -> (space: SpaceID, access: Access) {
    let served = try named(name)
    return (served.id, served.access)
  }

  /// The space with that name, which is made if there is none.
  ///
  /// - Throws: `Access.Refusal` where there would be more than `countMax`, and `StoreError`.
  func named(_ name: String) throws -> ServedSpace {
    try making.withLock { _ in
      if let found = invited.first(where: { $0.name() == name }) { return found }
      guard all.count < Self.countMax else {
        throw Access.Refusal(
          status: 507, description: "This server has no room for more spaces. Ask the host.")
      }
      let made = try Self.make(name, in: store)
      spaces.withLock { $0.append(made) }
      observer.withLock { $0 }?(made.access)
      return made
    }
  }

  /// The space to which a secret invites, now or once; nil if nobody made such an invitation.
  func inviting(_ secret: String) throws -> ServedSpace? {
    if makesSpaces, let left = InvitationFile.read(Secret.hash(secret), in: store.folder),
      let name = left.space, left.expires.map({ $0 > Date().timeIntervalSince1970 }) ?? true
    {
      return try named(name)
    }
    return try invited.first { try $0.access.knows(secret) }
  }

  /// The spaces in which a token opens something, with what it opens.
  func roles(of token: String) -> [(space: ServedSpace, device: Access.Device)] {
    roles(hash: Secret.hash(token))
  }

  /// As `roles(of:)`, of a token's hash.
  func roles(hash: [UInt8]) -> [(space: ServedSpace, device: Access.Device)] {
    all.compactMap { space in space.access.device(hash: hash).map { (space, $0) } }
  }

  /// Serves a space of a person's own from now on; its members come one by one.
  func openOwn(_ id: SpaceID, of owner: RecordID) throws -> ServedSpace {
    try making.withLock { _ in
      if let found = find(id) { return found }
      let made = try Self.openOwn(id, of: owner, in: store)
      own.withLock { $0.append(made) }
      observer.withLock { $0 }?(made.access)
      return made
    }
  }

  /// Calls a closure with the access to each space, those that are made later too.
  func observe(_ body: @escaping @Sendable (Access) -> Void) {
    observer.withLock { $0 = body }
    for space in all { body(space.access) }
  }

  private static func open(
    _ id: SpaceID, _ name: String, in store: Store
  ) throws -> ServedSpace {
    let access = try Access(to: id, in: store)
    access.takeInvitations(to: name)
    return ServedSpace(id: id, access: access, name: { name })
  }

  private static func openOwn(
    _ id: SpaceID, of owner: RecordID, in store: Store
  ) throws -> ServedSpace {
    let access = try Access(to: id, in: store)
    access.takesUnnamed(false)
    try access.limitRoles(to: .edit)
    return ServedSpace(id: id, access: access, name: { "" }, owner: owner)
  }

  private static func make(_ name: String, in store: Store) throws -> ServedSpace {
    let id = SpaceID(high: .random(in: 1...UInt64.max), low: .random(in: 1...UInt64.max))
    try store.write(in: Access.space(of: id)) { transaction in
      var named = SpaceName(id: SpaceName.id(of: id))
      named.name = name
      try transaction.create(named)
    }
    return try open(id, name, in: store)
  }
}
