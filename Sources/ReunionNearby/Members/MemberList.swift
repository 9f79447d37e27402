import ReunionCore

/// The members of a space, by statements that the founder and the admins it made have signed.
///
/// A value that two devices merge in any order to the same. Only the founder says who is an admin;
/// admins, too, may speak of everybody else. What an admin said counts no longer when it is one no
/// longer.
/// *Limits*: 1,024 devices.
struct MemberList: Equatable {
  static let membersMax = 1024

  /// A device that may take part.
  struct Member: Equatable {
    let key: DeviceKey
    let device: UInt64
    let role: MemberRole
  }

  let space: SpaceID
  let founder: DeviceKey
  /// By subject, what the founder says and what counts of what admins say.
  private var founders: [DeviceKey: MemberStatement] = [:]
  private var admins: [DeviceKey: MemberStatement] = [:]

  /// A list in which nobody is named, of which the founder alone may write the first line.
  init(of space: SpaceID, founder: DeviceKey) {
    self.space = space
    self.founder = founder
  }

  /// A list whose founder is a device.
  init(of space: SpaceID, foundedBy pair: DeviceKeyPair, device: UInt64) throws {
    self.init(of: space, founder: pair.publicKey)
    founders[pair.publicKey] = try MemberStatement(
      pair.publicKey, device: device, role: .admin, version: 1, in: space, by: pair)
  }

  /// The statements, those of the founder first.
  var statements: [MemberStatement] {
    founders.values.sorted { $0.subject < $1.subject }
      + admins.values.sorted { $0.subject < $1.subject }
  }

  /// What two devices with the same list both get.
  var digest: [UInt8] {
    var writer = ByteWriter()
    writer.bytes(founder.bytes)
    for statement in statements { statement.write(to: &writer) }
    return SHA256.hash(writer.bytes)
  }

  // MARK: Membership

  /// What a device may do; nil where it is no member.
  func member(_ key: DeviceKey) -> Member? {
    guard let statement = standing(of: key), let role = statement.role,
      !isNumberTaken(statement.device, from: key)
    else { return nil }
    return Member(key: key, device: statement.device, role: role)
  }

  /// All of them.
  var members: [Member] {
    Set(founders.keys).union(admins.keys).sorted().compactMap { member($0) }
  }

  private func isAdmin(_ key: DeviceKey) -> Bool {
    key == founder || founders[key]?.role == .admin
  }

  /// What counts of a device.
  private func standing(of key: DeviceKey) -> MemberStatement? {
    let own = founders[key]
    if isAdmin(key) { return own }
    guard let theirs = admins[key], isAdmin(theirs.issuer) else { return own }
    guard let own else { return theirs }
    return theirs.outweighs(own) ? theirs : own
  }

  /// Whether another member writes under a number: of two that were given the same one, the founder comes
  /// first, and then the lower key.
  private func isNumberTaken(_ device: UInt64, from key: DeviceKey) -> Bool {
    guard key != founder else { return false }
    return Set(founders.keys).union(admins.keys).contains { other in
      guard other != key, let standing = standing(of: other), standing.role != nil,
        standing.device == device
      else { return false }
      return other == founder || other < key
    }
  }

  // MARK: Changing it

  /// Takes statements in that somebody brought; those that do not count are left out.
  mutating func merge(_ statements: [MemberStatement]) {
    for statement in statements where statement.issuer == founder { take(statement) }
    for statement in statements where statement.issuer != founder { take(statement) }
    admins = admins.filter { isAdmin($0.value.issuer) && !isAdmin($0.key) }
  }

  private mutating func take(_ statement: MemberStatement) {
    let subject = statement.subject
    let isFounders = statement.issuer == founder
    let present = isFounders ? founders[subject] : admins[subject]
    if let held = present, isAdmin(held.issuer) {
      guard held != statement, statement.outweighs(held) else { return }
    } else {
      guard founders.count + admins.count < 2 * Self.membersMax else { return }
    }
    if isFounders {
      guard subject != founder || statement.role == .admin else { return }
    } else {
      guard isAdmin(statement.issuer), !isAdmin(subject), statement.role != .admin else { return }
    }
    guard statement.isSigned(in: space) else { return }
    if isFounders { founders[subject] = statement } else { admins[subject] = statement }
  }

  /// Gives a device a role, or none; false where the signer may not.
  mutating func set(
    _ subject: DeviceKey, device: UInt64, to role: MemberRole?, by pair: DeviceKeyPair
  ) throws -> Bool {
    let signer = pair.publicKey
    guard isAdmin(signer), subject != founder, members.count < Self.membersMax else { return false }
    guard signer == founder || role != .admin && !isAdmin(subject) else { return false }
    let version = max(founders[subject]?.version ?? 0, admins[subject]?.version ?? 0)
    guard version < .max else { return false }
    // Those whom a removed admin has admitted stay: the founder says the same of them now.
    let orphans =
      isAdmin(subject) && role != .admin ? admins.values.filter { $0.issuer == subject } : []
    let statement = try MemberStatement(
      subject, device: device, role: role, version: version + 1, in: space, by: pair)
    if signer == founder {
      founders[subject] = statement
      for each in orphans where each.version < .max {
        founders[each.subject] = try MemberStatement(
          each.subject, device: each.device, role: each.role,
          version: max(each.version, founders[each.subject]?.version ?? 0) + 1, in: space, by: pair)
      }
    } else {
      admins[subject] = statement
    }
    merge([])
    return true
  }
}
