import Dispatch
public import FoundationEssentials
import ReunionCommandLine
public import ReunionCore
import ReunionFlow
public import ReunionStore

/// Decides who may enter a space, by its invitations and the devices that took them.
///
/// ```swift
/// let (_, access) = try ServedSpaces(folder: "./data").open("Our notes")
/// let tomorrow = Date(timeIntervalSinceNow: 86_400)
/// let secret = try access.invite(.add, expires: tomorrow, uses: 1)
/// print(Origin(HostAddress("192.168.1.20:8080")).link(secret))
/// for device in access.devices() { print(Access.text(of: device.number), device.role) }
/// ```
///
/// Secrets and tokens are random; only their SHA-256 is stored. *Thread*: any; a call that writes
/// waits for the disk. *Durability*: what a call returns is on disk. *Errors*: those that write
/// throw `StoreError`, and have done nothing then.
public final class Access: Sendable {
  /// A device that has joined: a guest's or the host's browser, or a clone.
  public struct Device: Sendable, Hashable {
    /// The device half of the sites under which it writes.
    public let number: UInt64
    /// What it may do.
    public let role: Role
    /// Whether it is a full replica, not a browser.
    public let isReplica: Bool
    /// When it joined.
    public let joined: Date

    func with(role: Role) -> Device {
      Device(number: number, role: role, isReplica: isReplica, joined: joined)
    }
  }

  /// Why somebody may not enter, in a sentence for that person.
  public struct Refusal: Error, Sendable, CustomStringConvertible {
    /// The HTTP status: 401 for an unknown secret, 404 for a picture without one, 410 for a secret
    /// that no longer works.
    public let status: Int
    /// One sentence for a person.
    public let description: String
  }

  /// The entities of invitations, members and what they sent. The model of a served store needs
  /// them.
  public static let entities =
    Model(InvitationRecord.schema, Member.schema, Delivery.schema, SpaceName.schema).entities

  /// What a device is called in lists and options: 16 hexadecimal digits.
  public static func text(of device: UInt64) -> String {
    Hexadecimal.text(Site(device: device, incarnation: 0).bytes.prefix(8))
  }

  /// The device that such a text names; nil for any other text.
  public static func device(_ text: String) -> UInt64? {
    text.utf8.count == 16 ? UInt64(text, radix: 16) : nil
  }

  /// The space that holds the invitations and members of a space.
  public static func space(of space: SpaceID) -> SpaceID {
    let hash = SHA256.hash(Array("reunion access ".utf8) + space.bytes)
    return SpaceID(bytes: Array(hash[..<16])) ?? space
  }

  /// The space of the invitations and members.
  public let space: SpaceID
  /// The space to which they are.
  let served: SpaceID
  let store: Store
  let now: @Sendable () -> Date
  let table = Lock(MemberTable())
  private let highest = Lock(Role.admin)
  /// The time by which memberships lapse, and are noted as used.
  private let time: Lock<SettledTime>
  /// One reading at a time: an older one must not come after a newer one.
  private let reading = Lock(())
  /// How many members were read, for tests.
  let readCount = Lock(0)
  private let notes: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let observers = Lock<[Observer]>([])
  private let observation = Lock<SignalSubscription?>(nil)

  /// Which invitations that were left in the server's folder are to this space: those to no space
  /// by its name, and to its name.
  private let meant = Lock((unnamed: true, name: String?.none))

  private struct Observer: Sendable {
    let body: @Sendable () -> Void
  }

  /// Opens the access of a space in a store whose model has `entities`.
  ///
  /// It follows the store: who is removed by another program's sync is out here too. *Cost*: reads
  /// all members once, and keeps them in memory.
  /// - Parameters:
  ///   - space: The space that people enter, whether anything is in it yet or not.
  ///   - store: Where invitations and members are kept.
  ///   - now: The clock by which links expire and memberships lapse.
  /// - Throws: `StoreError` `invalidModel` for a model without these entities, and what reading and
  ///   writing throw.
  public convenience init(
    to space: SpaceID, in store: Store, now: @escaping @Sendable () -> Date = { Date() }
  ) throws {
    // One note at a time: the later use stands.
    let notes = DispatchQueue(label: "reunion.access.notes")
    try self.init(to: space, in: store, now: now) { note in notes.async { note() } }
  }

  /// As the public one, with what runs the notes of uses, one at a time and in their order.
  init(
    to space: SpaceID, in store: Store, now: @escaping @Sendable () -> Date,
    notes: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) throws {
    self.space = Self.space(of: space)
    served = space
    self.store = store
    self.now = now
    self.notes = notes
    time = Lock(try store.lastTime(at: now().wallMilliseconds))
    try countUses()
    try reload()
    let accessSpace = self.space
    let subscription = store.observeCommits { [weak self] commit in
      guard commit.space == accessSpace, commit.entities.contains(Member.schema.number) else {
        return
      }
      self?.reloadOrShut(commit.changed(Member.self))
    }
    observation.withLock { $0 = subscription }
  }

  /// The time now, as far as the clock is believed: a clock that is wrong for a moment ends no
  /// membership, and makes none end when it is right again.
  var settledTime: (earliest: Date, latest: Date) {
    let now = now()
    let time = time.withLock { time in
      time.read(now.wallMilliseconds)
      return time
    }
    // To the letter where it is the clock's.
    return time.isLeapt
      ? (Date(wallMilliseconds: time.earliest), Date(wallMilliseconds: time.latest)) : (now, now)
  }

  /// Has invitations to a space of that name be to this one, and none without a name.
  func takeInvitations(to name: String) { meant.withLock { $0 = (false, name) } }

  /// Has invitations without the name of a space be to this one as well.
  func takesUnnamed(_ takes: Bool) { meant.withLock { $0.unnamed = takes } }

  func isMeant(_ left: InvitationFile) -> Bool {
    meant.withLock { left.space == nil ? $0.unnamed : left.space == $0.name }
  }

  /// Lets the bearer of a secret in, and returns the token of its device.
  ///
  /// A device that had joined before keeps its identity, and gets the higher role. If it shows its
  /// `token`, it keeps that, even if another space of the server gave it. A device that was removed
  /// here is somebody new. One whose number belongs to another token here keeps its token and gets
  /// another number: the host of another space could claim to be anybody, and who is in this one
  /// that somebody else is to come.
  ///
  /// `number` is the number under which a replica says that it writes. It gets that number if
  /// nobody has joined or written under it here, and another one otherwise, which it takes.
  /// - Throws: `Refusal` for a secret that is unknown, expired, used up or revoked, with the status
  ///   and the sentence for the person who has it. `StoreError` where it cannot be written: nobody
  ///   has joined then, and the link is not used up.
  public func join(
    secret: String, as known: Device? = nil, isReplica: Bool = false, showing shown: String? = nil,
    number: UInt64? = nil
  ) throws -> (token: String, device: Device) {
    try takeUpLeftLink(secret)
    var token = Secret.make(byteCount: 32)
    let joined = try store.write(in: space) { transaction -> RecordID in
      let role = try redeem(secret, in: transaction)
      var known = known
      if let device = known?.number {
        let own = Query<Member>(in: space).filter(\.device == Int64(bitPattern: device))
        if let shown {
          let mine = try transaction.fetch(
            Query<Member>(in: space).filter(\.tokenHash == Secret.hash(shown)))
          if let same = mine.first(where: { !$0.isRevoked }) {
            token = shown
            var held = Role(rawValue: same.role) ?? .view
            if case .lapsed = standing(of: shown) { held = .view }
            let higher = max(role, held)
            try transaction.set(\Member.role, of: same.id, to: higher.rawValue)
            try transaction.set(\Member.usedAt, of: same.id, to: settledTime.latest)
            return same.id
          }
          // What it may do elsewhere counts for nothing here, and its number for what anybody's would.
          let members = try transaction.fetch(own.limit(1))
          let isFree =
            try isNobodys(device, among: members)
            || bugs.numberCarried && members.isEmpty
          known = mine.isEmpty && isFree ? known?.with(role: .view) : nil
          if mine.isEmpty, isFree || !bugs.givenNumberNotTaken { token = shown }
        } else if try transaction.fetch(own.filter(\.isRevoked == false).limit(1)).isEmpty {
          // It may have been put out since it asked.
          known = nil
        }
      }
      var member = Member(id: transaction.newID())
      member.tokenHash = Secret.hash(token)
      member.role = max(role, known?.role ?? .view).rawValue
      let own = try number.flatMap { number -> UInt64? in
        let same = Query<Member>(in: space).filter(\.device == Int64(bitPattern: number)).limit(1)
        return try isNobodys(number, among: transaction.fetch(same)) ? number : nil
      }
      member.device = Int64(bitPattern: known?.number ?? own ?? UInt64.random(in: 1...UInt64.max))
      member.isReplica = isReplica
      member.usedAt = settledTime.latest
      try transaction.create(member)
      return member.id
    }
    try reload([joined])
    guard let device = device(token: token) else {
      throw Refusal(
        status: 401, description: "The host removed this device while it joined. Join again.")
    }
    return (token, device)
  }

  /// Whether a device may have a number that it brings along: nobody has joined under it, as
  /// `members` say, or written, and it is not the server's own. Every way in asks this: who had
  /// another's number could change what that one wrote, and the host of another space may write any
  /// number there.
  func isNobodys(_ number: UInt64, among members: [Member]) throws -> Bool {
    guard members.isEmpty, number != 0,
      number != store.site.device || bugs.serverNumberGiven
    else { return false }
    return try !store.vector(of: served).entries.contains { $0.site.device == number }
  }

  private var bugs: SeededBugs { store.options.seededBugs }

  /// Has no membership here have a higher role, whoever wrote it down.
  func limitRoles(to role: Role) throws {
    highest.withLock { $0 = role }
    try reload()
  }

  /// The device that a token belongs to; nil if nobody used the token for too long.
  public func device(token: String) -> Device? {
    device(hash: Secret.hash(token))
  }

  /// How a token stands.
  func standing(of token: String) -> MemberTable.Standing { standing(hash: Secret.hash(token)) }

  /// Notes that a membership is used, once a day: it lasts for as long as it is.
  func use(token: String) {
    let (hash, now) = (Secret.hash(token), settledTime.latest)
    guard let id = table.withLock({ $0.use(now, token: hash) }) else { return }
    noteUse(of: [id], at: now)
  }

  /// Notes that the memberships of these devices are used, by their sessions.
  func use(_ devices: Set<Device>) {
    let now = settledTime.latest
    let due = table.withLock { $0.use(now, by: devices) }
    if !due.isEmpty { noteUse(of: due, at: now) }
  }

  /// Away from the loop: it waits for the disk. What cannot be written is written the next day.
  private func noteUse(of members: [RecordID], at now: Date) {
    notes { [weak self, store, space] in
      try? store.write(in: space) { transaction in
        for id in members { try transaction.set(\Member.usedAt, of: id, to: now) }
      }
      guard let self else { return }
      // Not while the table is read: it may be read from before the note.
      reading.withLock { _ in table.withLock { $0.didNote(members, at: now) } }
    }
  }

  /// Whether a device may still do what it could when it came in.
  func isMember(_ device: Device) -> Bool { table.withLock { $0.holds(device) } }

  /// The devices that may enter, in the order in which they first joined, each with the highest
  /// role that it was given.
  public func devices() -> [Device] {
    let now = settledTime.earliest
    return table.withLock { $0.devices(at: now) }
  }

  /// Removes a device: its tokens open nothing more, its sessions end, and the server takes nothing
  /// more from it. What it brought stays. It may join again with a link that still works.
  ///
  /// Returns false if no such device had joined, or it was removed before.
  @discardableResult
  public func remove(device: UInt64) throws -> Bool {
    let own = Query<Member>(in: space).filter(\.device == Int64(bitPattern: device))
    let standing = try store.fetch(own.filter(\.isRevoked == false))
    guard !standing.isEmpty else { return false }
    try store.write(in: space) { transaction in
      for member in standing {
        try transaction.set(\Member.isRevoked, of: member.id, to: true)
      }
    }
    try reload(standing.map(\.id))
    return true
  }

  /// Ends one membership: its token opens nothing more, and its sessions end, but for those of
  /// another membership of the same device.
  func signOut(token: String) throws {
    guard let own = try store.fetch(standing(Secret.hash(token))).first else { return }
    try store.write(in: space) {
      try $0.set(\Member.isRevoked, of: own.id, to: true)
      try $0.set(\Member.hasLeft, of: own.id, to: true)
    }
    try reload([own.id])
  }

  /// The memberships that a token with that hash opens.
  func standing(_ hash: [UInt8]) -> Query<Member> {
    Query<Member>(in: space).filter(\.tokenHash == hash && \.isRevoked == false)
  }

  /// Calls a closure after each change of who may enter.
  func observe(_ body: @escaping @Sendable () -> Void) {
    observers.withLock { $0.append(Observer(body: body)) }
  }

  /// Whether a device has joined but may not change what others wrote.
  public func isGuest(_ device: UInt64) -> Bool { table.withLock { $0.isGuest(device) } }

  /// Whether a device may keep a full copy, and edit: what it says of its copy counts for others.
  func mayHold(_ device: UInt64) -> Bool { table.withLock { $0.mayHold(device) } }

  /// The devices that may keep a full copy and edit, as far as they were used since then.
  func keepers(usedSince since: Date) -> Set<UInt64> {
    table.withLock { $0.keepers(usedSince: since) }
  }

  /// Reads who may enter, again and again where that fails. After a second nobody may, until it is
  /// read: somebody may have been put out.
  private func reloadOrShut(_ changed: [RecordID]?, attempt: Int = 1) {
    do {
      try reload(changed)
    } catch {
      if attempt == 10 {
        table.withLock { $0 = MemberTable() }
        for observer in observers.withLock({ $0 }) { observer.body() }
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + (attempt < 10 ? 0.1 : 1)) {
        [weak self] in
        // All of them: who is not among these may have been forgotten meanwhile.
        self?.reloadOrShut(nil, attempt: attempt + 1)
      }
    }
  }

  /// Reads some members again, or all: of many it costs no more to read one.
  func reload(_ changed: [RecordID]? = nil) throws {
    try reading.withLock { _ in try read(changed) }
    for observer in observers.withLock({ $0 }) { observer.body() }
  }

  private func read(_ changed: [RecordID]?) throws {
    let highest = highest.withLock { $0 }
    guard let changed else {
      let members = try store.fetch(Query<Member>(in: space)).filter(mayBe)
      readCount.withLock { $0 += members.count }
      return table.withLock { $0.replace(with: members, highest: highest) }
    }
    let members = try changed.map { ($0, try store.fetch(Member.self, $0, in: space)) }
    readCount.withLock { $0 += members.count }
    table.withLock { table in
      for (id, member) in members {
        table.take(member.flatMap { mayBe($0) ? $0 : nil }, of: id, highest: highest)
      }
    }
  }

  /// Whether somebody may be a member under that number: the server's own is nobody else's,
  /// whatever a host writes among the members.
  private func mayBe(_ member: Member) -> Bool {
    let own = Int64(bitPattern: store.site.device)
    return member.device != own && member.device != 0
      || bugs.numberCarried || bugs.serverNumberGiven
  }

  /// Memberships of before uses were counted are used now: nobody is out by a newer server.
  private func countUses() throws {
    let uncounted = try store.fetch(Query<Member>(in: space)).filter {
      !$0.isRevoked && $0.usedAt == nil
    }
    guard !uncounted.isEmpty else { return }
    let now = settledTime.latest
    try store.write(in: space) { transaction in
      for member in uncounted { try transaction.set(\Member.usedAt, of: member.id, to: now) }
    }
  }
}

extension Date {
  /// Milliseconds since 1970; 0 before.
  var wallMilliseconds: UInt64 { UInt64(max(0, min(timeIntervalSince1970 * 1000, 9e18))) }

  init(wallMilliseconds: UInt64) {
    self.init(timeIntervalSince1970: Double(wallMilliseconds) / 1000)
  }
}
