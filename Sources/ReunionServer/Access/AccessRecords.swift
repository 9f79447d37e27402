import ReunionCore
import ReunionStore
import FoundationEssentials

/// An invitation: whoever brings the secret behind this hash joins with the role.
///
/// Invitations and members are records of a space of their own, which only admins' replicas sync:
/// a clone lets the same people in.
struct InvitationRecord: Entity {
  let id: RecordID
  var secretHash: [UInt8] = []
  var role = Role.add.rawValue
  var expires: Date?
  var isRevoked = false
  /// How many devices may still join by it; nil for any number.
  var usesLeft: Int64?

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<InvitationRecord>(
    16_777_201, "reunion_invitation",
    [
      .field(1, "secretHash", \.secretHash), .field(2, "role", \.role),
      .field(3, "expires", \.expires), .field(4, "isRevoked", \.isRevoked),
      .field(5, "usesLeft", \.usesLeft),
    ], indexes: [[\.secretHash]])
}

/// That a device joined: whoever brings the token behind this hash is it. A device that joins
/// again has several such records.
struct Member: Entity {
  let id: RecordID
  var tokenHash: [UInt8] = []
  var role = Role.view.rawValue
  /// The device half of the sites under which it writes.
  var device: Int64 = 0
  var isReplica = false
  var isRevoked = false
  /// When it was used last, to a day.
  var usedAt: Date?
  /// Whether it was ended by whoever held it, and not by the host.
  var hasLeft = false
  /// Whether it was ended by another device of the same person.
  var isOwnAct = false

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Member>(
    16_777_202, "reunion_member",
    [
      .field(1, "tokenHash", \.tokenHash), .field(2, "role", \.role),
      .field(3, "device", \.device), .field(4, "isReplica", \.isReplica),
      .field(5, "isRevoked", \.isRevoked), .field(6, "usedAt", \.usedAt),
      .field(7, "hasLeft", \.hasLeft), .field(8, "isOwnAct", \.isOwnAct),
    ], indexes: [[\.device, \.isRevoked], [\.tokenHash]])

  /// When it joined.
  var joined: Date { Date(timeIntervalSince1970: Double(id.high >> 16) / 1000) }
}
