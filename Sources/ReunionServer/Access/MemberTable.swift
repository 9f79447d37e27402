import FoundationEssentials
import ReunionCore

/// The devices that have joined, as the records say it. It tells what a token opens without asking
/// the disk.
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

  /// What one record says.
  private struct Row: Sendable {
    /// How a membership ended.
    enum End { case putOut, removed, left }

    let id: RecordID
    let token: [UInt8]
    let device: Access.Device
    var usedAt: Date
    /// Nil where it stands.
    let end: End?

    var mayHold: Bool { end == nil && device.isReplica && device.role >= .edit }

    func hasLapsed(at now: Date) -> Bool {
      now.timeIntervalSince(usedAt)
        >= (device.isReplica ? MemberTable.replicaSeconds : MemberTable.browserSeconds)
    }
  }
  private var rows: [RecordID: Row] = [:]
  private var ofToken: [[UInt8]: [RecordID]] = [:]
  private var ofDevice: [UInt64: [RecordID]] = [:]
  /// The uses whose notes are under way to the disk.
  private var underWay: [RecordID: Date] = [:]

  /// Nobody.
  init() {}

  /// Roles above `highest` count as that one.
  init(_ members: [Member], highest: Role = .admin) {
    for member in members { take(member, of: member.id, highest: highest) }
  }

  /// Takes what a record says now; nil where it is there no more. *Cost*: that of the records of its
  /// device, however many have joined.
  mutating func take(_ member: Member?, of id: RecordID, highest: Role = .admin) {
    if let old = rows.removeValue(forKey: id) {
      Self.drop(id, from: &ofToken, old.token)
      Self.drop(id, from: &ofDevice, old.device.number)
    }
    guard let member, let role = Role(rawValue: member.role) else { return }
    let device = Access.Device(
      number: UInt64(bitPattern: member.device), role: min(role, highest),
      isReplica: member.isReplica, joined: member.joined)
    let end: Row.End? =
      !member.isRevoked ? nil : member.isOwnAct ? .removed : member.hasLeft ? .left : .putOut
    // Until a note of a later use comes, the disk knows an earlier one.
    let used = max(member.usedAt ?? member.joined, underWay[id] ?? .distantPast)
    rows[id] = Row(id: id, token: member.tokenHash, device: device, usedAt: used, end: end)
    ofToken[member.tokenHash, default: []].append(id)
    ofDevice[device.number, default: []].append(id)
  }

  private static func drop<Key: Hashable>(
    _ id: RecordID, from lists: inout [Key: [RecordID]], _ key: Key
  ) {
    lists[key]?.removeAll { $0 == id }
    if lists[key]?.isEmpty == true { lists[key] = nil }
  }

  private func rows(of device: UInt64) -> [Row] { (ofDevice[device] ?? []).compactMap { rows[$0] } }

  /// The membership that a token opens: the latest, should there be several.
  private func standing(_ hash: [UInt8]) -> Row? {
    (ofToken[hash] ?? []).compactMap { rows[$0] }.filter { $0.end == nil }.max { $0.id < $1.id }
  }

  func standing(of hash: [UInt8], at now: Date) -> Standing {
    guard let row = standing(hash) else {
      let ends = (ofToken[hash] ?? []).compactMap { rows[$0]?.end }
      return ends.contains(.putOut) ? .putOut : ends.contains(.removed) ? .removed : .unknown
    }
    guard row.hasLapsed(at: now) else { return .member(row.device) }
    return .lapsed(row.device.with(role: .view))
  }

  /// Whether a device may still do what it could when it came in. A session outlives a membership that
  /// lapses: it is a use of it.
  func holds(_ device: Access.Device) -> Bool {
    rows(of: device.number).contains { $0.end == nil && $0.device == device }
  }

  /// Whether a device has joined and never had a role of `edit` or above, also where it was put out.
  func isGuest(_ device: UInt64) -> Bool {
    let roles = rows(of: device).map(\.device.role)
    return !roles.isEmpty && roles.allSatisfy { $0 < .edit }
  }

  /// Whether a device stands as a replica that may edit.
  func mayHold(_ device: UInt64) -> Bool { rows(of: device).contains(where: \.mayHold) }

  /// The devices that do, as far as they were used since then.
  func keepers(usedSince since: Date) -> Set<UInt64> {
    Set(rows.values.filter { $0.mayHold && $0.usedAt >= since }.map(\.device.number))
  }

  /// The devices that may enter, each with the highest role that it was given, by when they first joined.
  func devices(at now: Date) -> [Access.Device] {
    var found: [UInt64: Access.Device] = [:]
    for row in rows.values where row.end == nil && !row.hasLapsed(at: now) {
      let device = row.device
      let known = found[device.number] ?? device
      found[device.number] = Access.Device(
        number: device.number, role: max(device.role, known.role),
        isReplica: device.isReplica || known.isReplica, joined: min(device.joined, known.joined))
    }
    return found.values.sorted { $0.joined < $1.joined }
  }

  /// Notes the use of some devices' memberships, and gives those of which that is to be written down.
  mutating func use(_ now: Date, by devices: Set<Access.Device>) -> [RecordID] {
    let due = devices.flatMap { device in
      rows(of: device.number).filter { $0.device == device && isDue($0, now) }
    }
    return due.map { note(now, $0) }
  }

  /// As `use`, of one token: most requests find nothing due.
  mutating func use(_ now: Date, token hash: [UInt8]) -> RecordID? {
    guard let row = standing(hash), isDue(row, now), !row.hasLapsed(at: now) else { return nil }
    return note(now, row)
  }

  private func isDue(_ row: Row, _ now: Date) -> Bool {
    row.end == nil && now.timeIntervalSince(row.usedAt) >= Self.noteSeconds
  }

  private mutating func note(_ now: Date, _ row: Row) -> RecordID {
    rows[row.id]?.usedAt = now
    underWay[row.id] = now
    return row.id
  }

  /// A note is on the disk, or could not be written. One of a later use may be under way still.
  mutating func didNote(_ members: [RecordID], at time: Date) {
    for id in members where underWay[id] == time { underWay[id] = nil }
  }

  /// All members anew, with the uses whose notes are under way.
  mutating func replace(with members: [Member], highest: Role) {
    var table = MemberTable()
    table.underWay = underWay
    for member in members { table.take(member, of: member.id, highest: highest) }
    self = table
  }
}
