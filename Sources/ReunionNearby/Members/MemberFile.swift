import Reunion
import ReunionBluetooth
import ReunionCore
import ReunionDisk
import ReunionFlow
import ReunionStore

/// What is kept of a space's members beside a store, for its owner alone: the list, and which peers
/// are to be let in once they say who they are.
struct SpaceMembers: Equatable {
  var list: MemberList?
  /// What peers get that this device was told to admit.
  var grants: [PeerID: MemberRole] = [:]
}

/// The files of members beside a store, one a space.
struct MemberFile {
  static let prefix = "members."
  private static let version: UInt8 = 1
  private static let grantsMax = 1024
  let space: SpaceID
  private let path: String
  private let disk: any Disk

  init(of space: SpaceID, in store: Store) {
    self.space = space
    path = "\(store.folder)/\(Self.prefix)\(space)"
    disk = store.options.disk
  }

  /// What is kept; nothing if there is no file.
  ///
  /// - Throws: `damaged` for a file that cannot be understood, which is left as it is.
  func read() throws -> SpaceMembers {
    guard let bytes = try PrivateFile.read(path, on: disk) else { return SpaceMembers() }
    do {
      return try Self.decode(bytes, space)
    } catch {
      throw StoreError(
        .damaged,
        "\(path) cannot be understood. Put it back from a backup, or remove it: then somebody must admit "
          + "this device again.")
    }
  }

  /// Keeps it; it is on the disk when this returns.
  func write(_ members: SpaceMembers) throws {
    var writer = ByteWriter()
    writer.byte(Self.version)
    writer.varint(UInt64(members.grants.count))
    for (peer, role) in members.grants.sorted(by: { $0.key < $1.key }) {
      writer.bytes(peer.bytes)
      writer.byte(role.rawValue)
    }
    if let list = members.list {
      writer.bytes(list.founder.bytes)
      writer.varint(UInt64(list.statements.count))
      for statement in list.statements { statement.write(to: &writer) }
    }
    try PrivateFile.write(writer.bytes, to: path, on: disk)
  }

  private static func decode(_ bytes: [UInt8], _ space: SpaceID) throws -> SpaceMembers {
    var reader = ByteReader(bytes)
    guard try reader.byte() == version else { throw WireError(.malformed, "Another version.") }
    var members = SpaceMembers()
    for _ in 0..<(try reader.varint(upTo: UInt64(grantsMax))) {
      guard let peer = PeerID(bytes: try reader.bytes(32)),
        let role = MemberRole(rawValue: try reader.byte())
      else { throw WireError(.malformed, "A grant is none.") }
      members.grants[peer] = role
    }
    guard reader.remaining > 0 else { return members }
    guard let founder = DeviceKey(bytes: try reader.bytes(DeviceKey.byteCount)) else {
      throw WireError(.malformed, "A key is none.")
    }
    var statements: [MemberStatement] = []
    for _ in 0..<(try reader.varint(upTo: UInt64(2 * MemberList.membersMax))) {
      if let statement = try MemberStatement(&reader) { statements.append(statement) }
    }
    try reader.finish()
    var list = MemberList(of: space, founder: founder)
    list.merge(statements)
    members.list = list
    return members
  }
}

/// The members of the spaces of one replica: one change at a time, on the disk before anybody hears of it.
///
/// *Thread*: any.
final class MemberDirectory: Sendable {
  let key: DeviceKeyPair
  private let store: Store
  private let known = Lock<[SpaceID: SpaceMembers]>([:])
  private let changing = Lock(())
  private let changed = Emitter<SpaceID>()

  init(of store: Store) throws {
    self.store = store
    key = try DeviceKeyPair(of: store)
  }

  /// The number under which this device writes in a space.
  func device(in space: SpaceID) -> UInt64 { store.device(in: space) }

  /// Tells of spaces whose members changed. *Thread*: that of the change.
  var changes: Occurrences<SpaceID> { changed.occurrences }

  /// What is kept of a space.
  func members(of space: SpaceID) throws -> SpaceMembers {
    if let members = known.withLock({ $0[space] }) { return members }
    let members = try MemberFile(of: space, in: store).read()
    known.withLock { $0[space] = members }
    return members
  }

  /// The spaces of whose members something is kept.
  func spaces() throws -> [SpaceID] {
    let prefix = MemberFile.prefix
    return try store.options.disk.names(in: store.folder).sorted().compactMap { name in
      name.hasPrefix(prefix) ? SpaceID(String(name.dropFirst(prefix.count))) : nil
    }
  }

  /// Changes what is kept of a space.
  func change(_ space: SpaceID, _ body: (inout SpaceMembers) throws -> Void) throws {
    let isChanged = try changing.withLock { _ in
      let before = try members(of: space)
      var after = before
      try body(&after)
      guard after != before else { return false }
      try MemberFile(of: space, in: store).write(after)
      known.withLock { $0[space] = after }
      return true
    }
    if isChanged { changed.send(space) }
  }
}
