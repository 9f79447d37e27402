import FoundationEssentials
import ReunionCore

/// Who has joined, as the records say it: what a token opens, without asking the disk.
struct MemberTable: Sendable {
  /// How a token stands.
  enum Standing: Sendable, Hashable {
    /// It opens what its device may do.
    case member(Access.Device)
    /// Nobody used it for too long. Its device is known, and comes back by a link, with the link's
    /// role.
    case lapsed(Access.Device)
    /// The host has removed its device.
    case putOut
    /// Another device of the same person has removed its device.
    case removed
    /// Nobody ever got it, or its device has left.
    case unknown
  }

  /// How long a membership lasts without use: a browser's, and a replica's, whose machine may be off.
  static let browserSeconds = 60 * 86_400.0
  static let replicaSeconds = 365 * 86_400.0
  /// How often it is noted that one is used.
  static let noteSeconds = 86_400.0

  private struct Row: Sendable {
    let id: RecordID
    let device: Access.Device
    var usedAt: Date

    func hasLapsed(at now: Date) -> Bool {
      now.timeIntervalSince(usedAt)
        >= (device.isReplica ? MemberTable.replicaSeconds : MemberTable.browserSeconds)
    }
  }
  private var rows: [[UInt8]: Row] = [:]
  /// The uses whose notes are under way to the disk.
  private var underWay: [RecordID: Date] = [:]
  private var putOut: Set<[UInt8]> = []
  private var removed: Set<[UInt8]> = []
  /// The devices that never had a role of `edit` or above, those that were put out too.
  private var guests: Set<UInt64> = []

  /// Nobody.
  init() {}

  /// Roles above `highest` count as that one.
  init(_ members: [Member], highest limit: Role = .admin) {
    var highest: [UInt64: Role] = [:]
    for member in members {
      guard let role = Role(rawValue: member.role).map({ min($0, limit) }) else { continue }
      let number = UInt64(bitPattern: member.device)
      highest[number] = max(role, highest[number] ?? .view)
      if !member.isRevoked {
        let device = Access.Device(
          number: number, role: role, isReplica: member.isReplica, joined: member.joined)
        rows[member.tokenHash] = Row(
          id: member.id, device: device, usedAt: member.usedAt ?? member.joined)
      } else if member.isOwnAct {
        removed.insert(member.tokenHash)
      } else if !member.hasLeft {
        putOut.insert(member.tokenHash)
      }
    }
    guests = Set(highest.filter { $0.value < .edit }.keys)
  }

  func standing(of hash: [UInt8], at now: Date) -> Standing {
    guard let row = rows[hash] else {
      return putOut.contains(hash) ? .putOut : removed.contains(hash) ? .removed : .unknown
    }
    guard row.hasLapsed(at: now) else { return .member(row.device) }
    return .lapsed(row.device.with(role: .view))
  }

  /// Whether a device may still do what it could when it came in. A session outlives a membership that
  /// lapses: it is a use of it.
  func holds(_ device: Access.Device) -> Bool { rows.values.contains { $0.device == device } }

  /// Whether a device has joined, and may not change what others wrote.
  func isGuest(_ device: UInt64) -> Bool { guests.contains(device) }

  /// The devices that may enter, each with the highest role that it was given, by when they first joined.
  func devices(at now: Date) -> [Access.Device] {
    var found: [UInt64: Access.Device] = [:]
    for row in rows.values where !row.hasLapsed(at: now) {
      let device = row.device
      let known = found[device.number] ?? device
      found[device.number] = Access.Device(
        number: device.number, role: max(device.role, known.role), isReplica: device.isReplica,
        joined: min(device.joined, known.joined))
    }
    return found.values.sorted { $0.joined < $1.joined }
  }

  /// Notes the use of some memberships, and gives those of which that is to be written down.
  mutating func use(_ now: Date, _ isUsed: (_ hash: [UInt8], Access.Device) -> Bool) -> [RecordID] {
    var due: [RecordID] = []
    for (hash, row) in rows
    where now.timeIntervalSince(row.usedAt) >= Self.noteSeconds && isUsed(hash, row.device) {
      due.append(note(now, hash, row))
    }
    return due
  }

  /// As `use`, of one token: most requests find nothing due.
  mutating func use(_ now: Date, token hash: [UInt8]) -> RecordID? {
    guard let row = rows[hash], now.timeIntervalSince(row.usedAt) >= Self.noteSeconds,
      !row.hasLapsed(at: now)
    else { return nil }
    return note(now, hash, row)
  }

  private mutating func note(_ now: Date, _ hash: [UInt8], _ row: Row) -> RecordID {
    rows[hash]?.usedAt = now
    underWay[row.id] = now
    return row.id
  }

  /// A note is on the disk, or could not be written. One of a later use may be under way still.
  mutating func didNote(_ members: [RecordID], at time: Date) {
    for id in members where underWay[id] == time { underWay[id] = nil }
  }

  /// What was just read, with the uses whose notes are under way: until they come, the disk knows
  /// earlier ones.
  func keepingNotes(of earlier: MemberTable) -> MemberTable {
    var table = self
    table.underWay = earlier.underWay
    for (hash, row) in rows {
      guard let used = earlier.underWay[row.id], used > row.usedAt else { continue }
      table.rows[hash]?.usedAt = used
    }
    return table
  }
}
