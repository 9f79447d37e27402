public import FoundationEssentials
import ReunionCommandLine
import ReunionCore
import ReunionStore

/// Links: how they are made, what they open, and how they end.
extension Access {
  /// How long an owner's link works unless you say otherwise.
  package static let ownerLinkSeconds = InvitationFile.ownerSeconds

  /// Makes an invitation and returns its secret. Nothing keeps the secret: print it now, as a link
  /// by `Origin.link(_:page:)`.
  ///
  /// - Parameters:
  ///   - role: What those who join may do.
  ///   - expires: When it opens nothing any more; nil for never.
  ///   - uses: How many devices may join with it; nil for any number.
  ///   - byteCount: How many random bytes it has, at least 16.
  /// - Returns: The secret, as text for a URL.
  /// - Throws: `StoreError` if it cannot be written: there is no invitation then.
  public func invite(
    _ role: Role, expires: Date? = nil, uses: Int64? = nil, byteCount: Int = 16
  ) throws -> String {
    try store.write(in: space) {
      try Self.invite(role, expires: expires, uses: uses, byteCount: byteCount, in: $0)
    }
  }

  /// Whether nobody was ever invited, and nobody has joined: the server is new.
  public var isUnused: Bool {
    get throws { try store.fetch(Query<InvitationRecord>(in: space)).isEmpty && devices().isEmpty }
  }

  /// Makes an invitation for the owner, which works for a day.
  public func inviteOwner() throws -> String {
    try invite(.admin, expires: now().addingTimeInterval(Self.ownerLinkSeconds), byteCount: 32)
  }

  /// Revokes all invitations of a role, makes a new one in the same transaction, and returns its
  /// secret.
  public func renewInvitations(
    _ role: Role, expires: Date? = nil, uses: Int64? = nil, byteCount: Int = 16
  ) throws -> String {
    try store.write(in: space) {
      try revokeInvitations(role, in: $0)
      return try Self.invite(role, expires: expires, uses: uses, byteCount: byteCount, in: $0)
    }
  }

  /// Revokes the owner's links and makes a new one, for a day, and for one device where it
  /// `isForOne`.
  func renewOwnerLink(isForOne: Bool) throws -> String {
    try renewInvitations(
      .admin, expires: now().addingTimeInterval(Self.ownerLinkSeconds), uses: isForOne ? 1 : nil,
      byteCount: 32)
  }

  /// Revokes all invitations of a role, also those that a command left in the folder. Devices that
  /// have joined stay: `remove(device:)` puts one out.
  public func revokeInvitations(_ role: Role) throws {
    try store.write(in: space) { try revokeInvitations(role, in: $0) }
  }

  private func revokeInvitations(_ role: Role, in transaction: WriteTransaction) throws {
    InvitationFile.removeAll(in: store.folder) { isMeant($0) && $0.role == role.rawValue }
    for invitation in try transaction.fetch(Query<InvitationRecord>(in: space))
    where invitation.role == role.rawValue && !invitation.isRevoked {
      try transaction.set(\InvitationRecord.isRevoked, of: invitation.id, to: true)
    }
  }

  private static func invite(
    _ role: Role, expires: Date?, uses: Int64?, byteCount: Int, in transaction: WriteTransaction
  ) throws -> String {
    let secret = Secret.make(byteCount: max(byteCount, 16))
    var invitation = InvitationRecord(id: transaction.newID())
    invitation.secretHash = Secret.hash(secret)
    invitation.role = role.rawValue
    invitation.expires = expires
    invitation.usesLeft = uses
    try transaction.create(invitation)
    return secret
  }

  /// The role that an invitation with that secret gives now.
  ///
  /// - Throws: `Refusal` for a secret that is unknown, expired, used up or revoked.
  func role(of secret: String) throws -> Role {
    let hash = Secret.hash(secret)
    if let left = left(hash) {
      return try check(Self.invitation(left, hash, RecordID(high: 0, low: 0)))
    }
    return try check(store.fetch(made(with: hash)).first)
  }

  /// Takes an invitation up for one device: the role that it gives.
  ///
  /// - Throws: as `role`.
  func redeem(_ secret: String, in transaction: WriteTransaction) throws -> Role {
    let hash = Secret.hash(secret)
    let found = try transaction.fetch(made(with: hash)).first
    let role = try check(found)
    if let found, let left = found.usesLeft {
      try transaction.set(\InvitationRecord.usesLeft, of: found.id, to: left - 1)
    }
    return role
  }

  /// Makes an invitation of a link that a command left in the server's folder.
  func takeUpLeftLink(_ secret: String) throws {
    let hash = Secret.hash(secret)
    guard let left = left(hash) else { return }
    try store.write(in: space) { transaction in
      // A kill may have left the file of one that was made.
      guard try transaction.fetch(made(with: hash)).isEmpty else { return }
      try transaction.create(Self.invitation(left, hash, transaction.newID()))
    }
    InvitationFile.remove(hash, in: store.folder)
  }

  /// Whether somebody made an invitation with that secret, also where it opens nothing any more.
  func knows(_ secret: String) throws -> Bool {
    let hash = Secret.hash(secret)
    return try left(hash) != nil || !store.fetch(made(with: hash)).isEmpty
  }

  /// What a command left in the server's folder for this space.
  private func left(_ hash: [UInt8]) -> InvitationFile? {
    InvitationFile.read(hash, in: store.folder).flatMap { isMeant($0) ? $0 : nil }
  }

  private static func invitation(
    _ left: InvitationFile, _ hash: [UInt8], _ id: RecordID
  ) -> InvitationRecord {
    var invitation = InvitationRecord(id: id)
    invitation.secretHash = hash
    invitation.role = left.role
    invitation.expires = left.expires.map { Date(timeIntervalSince1970: $0) }
    invitation.usesLeft = left.uses
    return invitation
  }

  /// The invitation with a secret of that hash.
  private func made(with hash: [UInt8]) -> Query<InvitationRecord> {
    Query<InvitationRecord>(in: space).filter(\.secretHash == hash).limit(1)
  }

  private func check(_ invitation: InvitationRecord?) throws -> Role {
    guard let invitation, let role = Role(rawValue: invitation.role) else {
      throw Refusal(
        status: 401, description: "This link is not valid. Ask the host for the right one.")
    }
    guard !invitation.isRevoked else {
      throw Refusal(
        status: 410, description: "This link was withdrawn. Ask the host for a new one.")
    }
    guard invitation.expires.map({ $0 > settledTime.latest }) ?? true else {
      throw Refusal(
        status: 410, description: "This link has expired. Ask the host for a new one.")
    }
    guard invitation.usesLeft.map({ $0 > 0 }) ?? true else {
      throw Refusal(
        status: 410,
        description: "This link was for one device, and has been used. Ask the host for a new one.")
    }
    return role
  }
}
