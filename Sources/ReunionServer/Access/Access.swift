public import ReunionCore
public import ReunionStore
import Dispatch
public import FoundationEssentials
import ReunionFlow

/// Who may enter a space: invitations and the devices that took them.
///
/// Secrets and tokens are random; only their SHA-256 is stored. *Thread*: any. *Durability*: what a
/// call returns is on disk.
public final class Access: Sendable {
  /// A device that has joined: a guest's or the host's browser, or a clone.
  public struct Device: Sendable, Hashable {
    /// The device half of the sites under which it writes.
    public let number: UInt64
    /// What it may do.
    public let role: Role
    /// Whether it is a full replica and no browser.
    public let isReplica: Bool
    /// When it joined.
    public let joined: Date
  }

  /// Why somebody may not enter, in a sentence for that person.
  public struct Refusal: Error, Sendable, CustomStringConvertible {
    /// The HTTP status: 401 for a secret that is not known, 404 for a picture that has none,
    /// 410 for one that no longer opens.
    public let status: Int
    /// One sentence for a person.
    public let description: String
  }

  /// The entities of invitations, members and what they sent, for the model of a store that is served.
  public static let entities =
    Model(Invitation.schema, Member.schema, Delivery.schema).entities

  /// The space that holds the invitations and members of a space.
  public static func space(of space: SpaceID) -> SpaceID {
    let hash = SHA256.hash(Array("reunion access ".utf8) + space.bytes)
    return SpaceID(bytes: Array(hash[..<16])) ?? space
  }

  /// The space of the invitations and members.
  public let space: SpaceID
  let store: Store
  private let now: @Sendable () -> Date
  private let devicesByToken = Lock<[[UInt8]: Device]>([:])
  /// The devices that never had a role of `edit` or above, those that were put out too.
  private let guests = Lock<Set<UInt64>>([])
  /// One reading at a time: an older one must not come after a newer one.
  private let reading = Lock(())
  private let observers = Lock<[Observer]>([])
  private let observation = Lock<Subscription?>(nil)

  private struct Observer: Sendable {
    let body: @Sendable () -> Void
  }

  /// Opens the access of a space in a store whose model has `entities`.
  public init(
    to space: SpaceID, in store: Store, now: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    self.space = Self.space(of: space)
    self.store = store
    self.now = now
    try reload()
    let accessSpace = self.space
    let subscription = store.observeCommits { [weak self] commit in
      guard commit.space == accessSpace, commit.entities.contains(Member.schema.number) else {
        return
      }
      self?.reloadOrShut()
    }
    observation.withLock { $0 = subscription }
  }

  /// Makes an invitation and returns its secret of `byteCount` random bytes, 16 at least, which is
  /// kept nowhere.
  public func invite(_ role: Role, expires: Date? = nil, byteCount: Int = 16) throws -> String {
    try store.write(in: space) {
      try Self.invite(role, expires: expires, byteCount: byteCount, in: $0)
    }
  }

  /// Revokes all invitations of a role and makes a new one, in one transaction: its secret.
  public func renewInvitations(_ role: Role, byteCount: Int = 16) throws -> String {
    try store.write(in: space) {
      try revokeInvitations(role, in: $0)
      return try Self.invite(role, byteCount: byteCount, in: $0)
    }
  }

  /// Revokes all invitations of a role; who has joined stays.
  public func revokeInvitations(_ role: Role) throws {
    try store.write(in: space) { try revokeInvitations(role, in: $0) }
  }

  private static func invite(
    _ role: Role, expires: Date? = nil, byteCount: Int, in transaction: WriteTransaction
  ) throws -> String {
    let secret = Secret.make(byteCount: max(byteCount, 16))
    var invitation = Invitation(id: transaction.newID())
    invitation.secretHash = Secret.hash(secret)
    invitation.role = role.rawValue
    invitation.expires = expires
    try transaction.create(invitation)
    return secret
  }

  private func revokeInvitations(_ role: Role, in transaction: WriteTransaction) throws {
    for invitation in try transaction.fetch(Query<Invitation>(in: space))
    where invitation.role == role.rawValue && !invitation.isRevoked {
      try transaction.set(\Invitation.isRevoked, of: invitation.id, to: true)
    }
  }

  /// Lets the bearer of a secret in, and returns the token of its device.
  ///
  /// A device that had joined before keeps its identity, and takes the higher role.
  /// - Throws: `Refusal` for a secret that is unknown, expired or revoked.
  public func join(
    secret: String, as known: Device? = nil, isReplica: Bool = false
  ) throws -> (token: String, device: Device) {
    let role = try role(of: secret)
    let token = Secret.make(byteCount: 32)
    try store.write(in: space) { transaction in
      var known = known
      if let device = known?.number {
        // It may have been put out since it asked.
        let own = Query<Member>(in: space).filter(\.device == Int64(bitPattern: device))
        if try transaction.fetch(own).allSatisfy(\.isRevoked) { known = nil }
      }
      var member = Member(id: transaction.newID())
      member.tokenHash = Secret.hash(token)
      member.role = max(role, known?.role ?? .view).rawValue
      member.device = Int64(bitPattern: known?.number ?? UInt64.random(in: 1...UInt64.max))
      member.isReplica = isReplica
      try transaction.create(member)
    }
    try reload()
    guard let device = device(token: token) else {
      throw Refusal(
        status: 401, description: "This device was put out while it joined. Join again.")
    }
    return (token, device)
  }

  /// The role that an invitation with that secret gives now.
  ///
  /// - Throws: `Refusal` for a secret that is unknown, expired or revoked.
  func role(of secret: String) throws -> Role {
    let hash = Secret.hash(secret)
    let invitation = try store.fetch(Query<Invitation>(in: space)).first {
      Secret.isEqual($0.secretHash, hash)
    }
    guard let invitation, let role = Role(rawValue: invitation.role) else {
      throw Refusal(
        status: 401, description: "This link is not valid. Ask the host for the right one.")
    }
    guard !invitation.isRevoked else {
      throw Refusal(
        status: 410, description: "This link was withdrawn. Ask the host for a new one.")
    }
    guard invitation.expires.map({ $0 > now() }) ?? true else {
      throw Refusal(
        status: 410, description: "This link has expired. Ask the host for a new one.")
    }
    return role
  }

  /// The device that a token belongs to.
  public func device(token: String) -> Device? {
    let hash = Secret.hash(token)
    return devicesByToken.withLock { $0[hash] }
  }

  /// Whether a device may still do what it could when it came in.
  func isMember(_ device: Device) -> Bool {
    devicesByToken.withLock { $0.values.contains(device) }
  }

  /// The devices that may enter, each with the highest role that it was given, by when they first
  /// joined.
  public func devices() -> [Device] {
    var found: [UInt64: Device] = [:]
    for device in devicesByToken.withLock({ Array($0.values) }) {
      let known = found[device.number] ?? device
      found[device.number] = Device(
        number: device.number, role: max(device.role, known.role), isReplica: device.isReplica,
        joined: min(device.joined, known.joined))
    }
    return found.values.sorted { $0.joined < $1.joined }
  }

  /// Puts a device out: its tokens open nothing more, its sessions end, and nothing more is taken
  /// from it. What it brought stays. It may join again by a link that still opens.
  ///
  /// False where no such device had joined.
  @discardableResult
  public func remove(device: UInt64) throws -> Bool {
    let own = Query<Member>(in: space).filter(\.device == Int64(bitPattern: device))
    let standing = try store.fetch(own).filter { !$0.isRevoked }
    guard !standing.isEmpty else { return false }
    try store.write(in: space) { transaction in
      for member in standing {
        try transaction.set(\Member.isRevoked, of: member.id, to: true)
      }
    }
    try reload()
    return true
  }

  /// Ends one membership: its token opens nothing more, and its sessions end, but for those of another
  /// membership of the same device.
  func signOut(token: String) throws {
    let hash = Secret.hash(token)
    let own = try store.fetch(Query<Member>(in: space)).first {
      !$0.isRevoked && Secret.isEqual($0.tokenHash, hash)
    }
    guard let own else { return }
    try store.write(in: space) { try $0.set(\Member.isRevoked, of: own.id, to: true) }
    try reload()
  }

  /// Calls a closure after each change of who may enter.
  func observe(_ body: @escaping @Sendable () -> Void) {
    observers.withLock { $0.append(Observer(body: body)) }
  }

  /// Whether a device has joined, and may not change what others wrote.
  func isGuest(_ device: UInt64) -> Bool { guests.withLock { $0.contains(device) } }

  /// Reads who may enter, again and again where that fails. After a second nobody may, until it is read:
  /// somebody may have been put out.
  private func reloadOrShut(attempt: Int = 1) {
    do {
      try reload()
    } catch {
      if attempt == 10 {
        devicesByToken.withLock { $0 = [:] }
        for observer in observers.withLock({ $0 }) { observer.body() }
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + (attempt < 10 ? 0.1 : 1)) {
        [weak self] in
        self?.reloadOrShut(attempt: attempt + 1)
      }
    }
  }

  private func reload() throws {
    try reading.withLock { _ in try read() }
    for observer in observers.withLock({ $0 }) { observer.body() }
  }

  private func read() throws {
    var current: [[UInt8]: Device] = [:]
    var highest: [UInt64: Role] = [:]
    for member in try store.fetch(Query<Member>(in: space)) {
      guard let role = Role(rawValue: member.role) else { continue }
      let device = UInt64(bitPattern: member.device)
      highest[device] = max(role, highest[device] ?? .view)
      guard !member.isRevoked else { continue }
      current[member.tokenHash] = Device(
        number: UInt64(bitPattern: member.device), role: role, isReplica: member.isReplica,
        joined: Date(timeIntervalSince1970: Double(member.id.high >> 16) / 1000))
    }
    let below = Set(highest.filter { $0.value < .edit }.keys)
    guests.withLock { $0 = below }
    devicesByToken.withLock { [current] in $0 = current }
  }
}
