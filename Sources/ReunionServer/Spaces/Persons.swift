import FoundationEssentials
import ReunionCore
import ReunionFlow
import ReunionStore

/// Persons: which devices are one's, and which spaces are a person's own (`docs/decisions/0038`).
///
/// A person is sixteen random bytes that a device drew. The devices of one have the same roles. *Thread*:
/// any; one act at a time. *Durability*: what a call returns is on disk.
final class Persons: Sendable {
  /// The most devices of a person.
  static let devicesMax = 16
  /// The most spaces of a person.
  static let spacesMax = 16
  /// For how long a pairing link opens.
  static let linkSeconds = 600.0
  /// The most bytes of the name of an own space.
  static let spaceNameBytesMax = 256
  /// The most bytes of a device's name.
  static let nameBytesMax = 64

  /// Where it stands who is who. No device may sync it.
  static let space: SpaceID = {
    let hash = SHA256.hash(Array("reunion persons".utf8))
    return SpaceID(bytes: Array(hash[..<16])) ?? SpaceID(high: 0, low: 1)
  }()

  let store: Store
  let spaces: ServedSpaces
  let now: @Sendable () -> Date
  /// The most spaces of all persons: the rest of the server's is for those to which people are invited.
  let spacesMaxOfAll: Int
  /// One act at a time: two of them may be about one person.
  let acts = Lock(())

  init(
    of spaces: ServedSpaces, in store: Store, spacesMaxOfAll: Int = ServedSpaces.countMax - 1000,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.spacesMaxOfAll = spacesMaxOfAll
    self.spaces = spaces
    self.store = store
    self.now = now
  }

  /// Whether a store can hold who is who.
  static func isPossible(in store: Store) -> Bool {
    store.model.entities.contains { $0.number == OwnSpace.schema.number }
  }

  /// The spaces that are persons' own.
  static func spaces(in store: Store) throws -> [OwnSpace] {
    guard isPossible(in: store) else { return [] }
    return try store.fetch(Query<OwnSpace>(in: space))
  }

  /// As which guest a person's devices are counted: all of them as one, in all of their own spaces.
  ///
  /// A hash, since the person's bytes are of the device's choice: nobody chooses to be counted as
  /// somebody else.
  static func guest(of person: RecordID) -> UInt64 {
    let hash = SHA256.hash(Array("reunion allowance".utf8) + person.bytes)
    return hash.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  // MARK: Own spaces

  /// Opens a space of a person's own, by one of that person's devices; again and again is once. A new one
  /// is shown to be the person's by its name, from which its id follows.
  ///
  /// - Throws: `Access.Refusal` where the device is another person's, the space is somebody else's or
  ///   there would be too many.
  func open(
    _ space: SpaceID, _ name: String?, of person: RecordID, by token: String,
    _ device: Access.Device, called: String?
  ) throws -> ServedSpace {
    try acts.withLock { _ in
      let isFree = try isFree(space)
      try store.write(in: Self.space) { transaction in
        try note(token, device, of: person, named: called, in: transaction)
        if let own = try transaction.fetch(OwnSpace.self, OwnSpace.id(of: space)) {
          guard own.person == person.bytes else { throw Self.othersSpace }
          return
        }
        guard isFree else { throw Self.othersSpace }
        if !isUnchecked { try Self.check(space, name, of: person) }
        let mine = Query<OwnSpace>(in: Self.space).filter(\.person == person.bytes)
        guard try transaction.fetch(mine).count < Self.spacesMax else {
          throw Access.Refusal(
            status: 507,
            description: "One person may have \(Self.spacesMax) spaces here, and has them.")
        }
        guard spaces.ownCount < spacesMaxOfAll else {
          throw Access.Refusal(
            status: 507, description: "This server has no room for more spaces. Ask the host.")
        }
        var own = OwnSpace(id: OwnSpace.id(of: space))
        own.person = person.bytes
        try transaction.create(own)
      }
      let served = try spaces.openOwn(space, of: person)
      let devices = try devices(of: person.bytes)
      for device in devices {
        _ = try served.access.grant(
          .edit, to: device, among: Set(devices.map(\.tokenHash)), isOwn: true)
      }
      return served
    }
  }

  /// Whether an id is that of no space of any kind, and neither are its members': what is opened later
  /// must not turn out to be the members of a space that is there, nor have them for members.
  private func isFree(_ space: SpaceID) throws -> Bool {
    let members = Access.space(of: space)
    let held = try store.spaces
    guard !isUnchecked else { return spaces.find(space) == nil && !held.contains(space) }
    return [space, members].allSatisfy {
      $0 != Self.space && spaces.find($0) == nil && !held.contains($0)
    } && !held.contains { Access.space(of: $0) == space }
  }

  private var isUnchecked: Bool { store.options.seededBugs.spacesTaken }

  /// Throws where a person's own space of that name has another id.
  private static func check(_ space: SpaceID, _ name: String?, of person: RecordID) throws {
    guard let name else {
      throw Access.Refusal(
        status: 400,
        description: "This program or page is older than the server: update it, or load it anew.")
    }
    guard name.utf8.count <= spaceNameBytesMax,
      SpaceID.own(of: person.description, named: name) == space
    else {
      throw Access.Refusal(
        status: 409, description: "That is no space of this person's own of that name.")
    }
  }

  /// Has a person's other devices have the role that one of them has in a space.
  func share(_ space: ServedSpace, of token: String) throws {
    let hash = Secret.hash(token)
    guard let known = try device(hash), let role = space.access.device(hash: hash)?.role else {
      return
    }
    try acts.withLock { _ in
      let own = try Set(all(of: known.person).map(\.tokenHash))
      for device in try devices(of: known.person) where device.tokenHash != hash {
        _ = try space.access.grant(role, to: device, among: own, isOwn: space.isOwn)
      }
    }
  }

  // MARK: Devices

  /// The person of a device, and that person's devices; nil where it is nobody's.
  func person(of token: String) throws -> (person: RecordID, devices: [PersonDevice])? {
    guard let known = try device(Secret.hash(token)), let person = RecordID(bytes: known.person)
    else { return nil }
    return (person, try devices(of: known.person))
  }

  /// Takes a device away from the person of another: it opens nothing any more that is that person's.
  ///
  /// False where that person has no such device.
  func remove(_ number: UInt64, by token: String) throws -> Bool {
    guard let known = try device(Secret.hash(token)) else { return false }
    return try acts.withLock { _ in
      let gone = try all(of: known.person).filter { $0.number == number && !$0.isRemoved }
      guard !gone.isEmpty else { return false }
      try store.write(in: Self.space) { transaction in
        for device in gone {
          try transaction.set(\PersonDevice.isRemoved, of: device.id, to: true)
        }
      }
      for device in gone {
        for (space, _) in spaces.roles(hash: device.tokenHash) {
          try space.access.end(hash: device.tokenHash)
        }
      }
      return true
    }
  }

  /// A word for the person of each device in a space, the same for all devices of one; another space has
  /// others, so that nobody finds a person again.
  func tags(in space: ServedSpace) throws -> [UInt64: String] {
    var tags: [UInt64: String] = [:]
    for device in try store.fetch(Query<PersonDevice>(in: Self.space)) {
      guard let member = space.access.device(hash: device.tokenHash) else { continue }
      let hash = SHA256.hash(device.person + space.id.bytes)
      tags[member.number] = Hexadecimal.text(hash.prefix(8))
    }
    return tags
  }

  /// The devices of a person that may still do anything.
  func devices(of person: [UInt8]) throws -> [PersonDevice] {
    try all(of: person).filter {
      !$0.isRemoved && !spaces.roles(hash: $0.tokenHash).isEmpty
    }
  }

  /// The devices of a person, those that were taken away too.
  func all(of person: [UInt8]) throws -> [PersonDevice] {
    try store.fetch(Query<PersonDevice>(in: Self.space).filter(\.person == person))
      .sorted { ($0.since ?? .distantPast) < ($1.since ?? .distantPast) }
  }

  /// The device with a token of that hash; nil where it is no person's, or not any more.
  func device(_ hash: [UInt8]) throws -> PersonDevice? {
    let found = try store.fetch(PersonDevice.self, PersonDevice.id(of: hash), in: Self.space)
    guard let found, Secret.isEqual(found.tokenHash, hash), !found.isRemoved else { return nil }
    return found
  }

  /// Notes that a device is a person's: of somebody whom no device was before, or who it was already.
  func note(
    _ token: String, _ device: Access.Device, of person: RecordID, named name: String?,
    in transaction: WriteTransaction
  ) throws {
    let hash = Secret.hash(token)
    let id = PersonDevice.id(of: hash)
    if let known = try transaction.fetch(PersonDevice.self, id) {
      guard known.person == person.bytes, !known.isRemoved else {
        throw Access.Refusal(
          status: 409,
          description: "On this server, this device belongs to another person. Pair it again.")
      }
      if let name, name != known.name {
        try transaction.set(\PersonDevice.name, of: id, to: name)
      }
      return
    }
    let theirs = Query<PersonDevice>(in: Self.space).filter(\.person == person.bytes)
    guard try transaction.fetch(theirs).isEmpty else {
      throw Access.Refusal(
        status: 403,
        description: "That person has other devices. Pair this one by a link from one of them.")
    }
    var known = PersonDevice(id: id)
    known.tokenHash = hash
    known.person = person.bytes
    known.device = Int64(bitPattern: device.number)
    known.isReplica = device.isReplica
    known.name = name ?? ""
    known.since = now()
    try transaction.create(known)
  }

  private static let othersSpace = Access.Refusal(
    status: 409, description: "On this server, that space belongs to somebody else.")
}
