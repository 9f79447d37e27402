import FoundationEssentials
import ReunionCore
import ReunionStore

// Records that say which devices are a person's. No device may sync their space, so that the server
// alone writes them. What stands among the members of a space its host may have written.

/// That a device is a person's: whoever brings the token behind this hash.
struct PersonDevice: Entity {
  let id: RecordID
  var tokenHash: [UInt8] = []
  /// The sixteen bytes that name the person.
  var person: [UInt8] = []
  /// The device half of the sites under which it writes.
  var device: Int64 = 0
  var isReplica = false
  /// What the person calls it.
  var name = ""
  /// Whether another device of the person took it away.
  var isRemoved = false
  /// When it became the person's.
  var since: Date?

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<PersonDevice>(
    16_777_207, "reunion_personDevice",
    [
      .field(1, "tokenHash", \.tokenHash), .field(2, "person", \.person),
      .field(3, "device", \.device), .field(4, "isReplica", \.isReplica),
      .field(5, "name", \.name), .field(6, "isRemoved", \.isRemoved),
      .field(7, "since", \.since),
    ], indexes: [[\.person]])

  /// The id of the record of a token.
  static func id(of tokenHash: [UInt8]) -> RecordID {
    RecordID(bytes: Array(tokenHash.prefix(16))) ?? RecordID(high: 0, low: 0)
  }

  var number: UInt64 { UInt64(bitPattern: device) }
}

/// That a space is a person's own. The id of the record is the space's.
struct OwnSpace: Entity {
  let id: RecordID
  var person: [UInt8] = []

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<OwnSpace>(
    16_777_208, "reunion_ownSpace", [.field(1, "person", \.person)], indexes: [[\.person]])

  static func id(of space: SpaceID) -> RecordID { RecordID(high: space.high, low: space.low) }

  var space: SpaceID { SpaceID(high: id.high, low: id.low) }

  /// The person that owns it.
  var owner: RecordID { RecordID(bytes: person) ?? RecordID(high: 0, low: 0) }
}

/// The link by which one more device becomes a person's. The id of the record is the person: a new link
/// takes the place of the one before.
struct PairingLinkRecord: Entity {
  let id: RecordID
  var secretHash: [UInt8] = []
  /// The token hash of the device that shows it.
  var maker: [UInt8] = []
  var expires: Date?
  /// The hash of the key of the device that took it; nobody's while it is empty.
  var takenBy: [UInt8] = []

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<PairingLinkRecord>(
    16_777_209, "reunion_pairingLink",
    [
      .field(1, "secretHash", \.secretHash), .field(2, "maker", \.maker),
      .field(3, "expires", \.expires), .field(4, "takenBy", \.takenBy),
    ])
}
