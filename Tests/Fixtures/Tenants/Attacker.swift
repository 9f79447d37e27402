import Foundation
import Reunion
import ReunionCore
import ReunionFlow
import ReunionServer
import ReunionStore
import ReunionSync
import ReunionTesting

/// Somebody with a role in one space, or with none, who says and asks whatever may harm the others.
///
/// She knows all that members know: numbers of devices, ids of records, files, the server's sites.
final class Attacker {
  let run: TenantRun
  let house: TenantHouse
  let role: AttackerRole
  var eve: Member
  /// Bodies that she began.
  var held: [any BodyReceiver] = []
  /// The spaces that she opened.
  private var opened: [SpaceID] = []
  private var open: [Speaker] = []
  private var drawn: SeededRandom

  /// One of her devices at the server: its token, its number, and as which sites it has spoken.
  struct Member {
    var asker: TenantHouse.Asker
    var number: UInt64
  }

  /// The first half of the ids of her records.
  private static let mark: UInt64 = 0xeeee << 48

  static func isHers(_ record: RecordID) -> Bool { record.high >> 48 == mark >> 48 }

  init(_ history: TenantHistory, _ run: TenantRun) throws {
    self.run = run
    house = run.house
    role = history.role
    drawn = SeededRandom(seed: history.seed &* 0x9e37)
    eve = Member(asker: TenantHouse.Asker(network: "10.6.6.6"), number: 0)
    house.draw(from: drawn.next())
    guard role != .stranger else { return }
    if role == .host {
      eve = join(Cast.hers, .admin) ?? eve
    } else {
      eve = join(Cast.main, Role(rawValue: role.rawValue) ?? .view) ?? eve
    }
  }

  /// The role of her link to the first space.
  private var mainRole: Role { role == .host ? .add : Role(rawValue: role.rawValue) ?? .view }

  func id() -> RecordID { RecordID(high: Self.mark | drawn.next() >> 16, low: drawn.next()) }
  func bits() -> UInt64 { drawn.next() }
  func space(_ name: String) -> SpaceID? { try? house.spaces.open(name).space }

  // MARK: Membership

  /// Joins as another device, or with a token that she has.
  func join(
    _ name: String, _ role: Role, token: String? = nil, as number: UInt64? = nil
  ) -> Member? {
    let number = number ?? drawn.next() | 1
    let asker = TenantHouse.Asker(token: token, network: eve.asker.network)
    let secret = run.secrets[name]?[role] ?? ""
    let answer = house.ask(
      .post, "/join", by: asker,
      body: Array(
        "{\"invite\":\"\(secret)\",\"replica\":true,\"device\":\"\(Access.text(of: number))\"}".utf8
      ))
    guard answer.status == 200, let token = answer.fields["token"] as? String,
      let device = (answer.fields["device"] as? String).flatMap({ Access.device($0) })
    else { return nil }
    if token != asker.token { run.newcomers += 1 }
    return Member(
      asker: TenantHouse.Asker(token: token, network: eve.asker.network), number: device)
  }

  /// One more device of hers, in the space to which her link leads.
  func another() -> Member? {
    guard role != .stranger else { return nil }
    return join(Cast.main, mainRole)
  }

  /// With the link that she has to the first space.
  func joinMain(_ token: String?, as number: UInt64? = nil) -> Member? {
    guard role != .stranger else { return nil }
    return join(Cast.main, mainRole, token: token, as: number)
  }

  /// A space of her own, of that id, by one of her devices.
  func own(_ space: SpaceID, of person: RecordID, by member: Member) -> Bool {
    let answer = house.ask(
      .post, "/own", by: member.asker,
      body: Array(
        "{\"person\":\"\(person)\",\"space\":\"\(space)\",\"name\":\"hers\"}".utf8))
    guard answer.status == 200 else { return false }
    opened.append(space)
    return true
  }

  /// One more device with a space of its own.
  func withOwnSpace() -> (member: Member, space: SpaceID)? {
    guard let member = another() else { return nil }
    let person = RecordID(high: drawn.next(), low: drawn.next())
    let space = SpaceID.own(of: person.description, named: "hers")
    return own(space, of: person, by: member) ? (member, space) : nil
  }

  // MARK: Sync

  /// Speaks to a space: a new session, which stays open where `stays`.
  @discardableResult
  func speak(
    to space: SpaceID, by member: Member, site: Site? = nil, _ messages: [Message],
    stays: Bool = false
  ) -> [Message] {
    let answer = house.ask(.get, "/sync?space=\(space)", by: member.asker)
    guard let line = answer.line else { return [] }
    let speaker = Speaker(line.client)
    let site = site ?? Site(device: member.number, incarnation: drawn.next())
    speaker.say([
      .hello(Hello(space: space, site: site, isLeaf: false, seq: 0)),
      .pull(Pull(position: [], vector: VersionVector())),
    ])
    run(milliseconds: 20)
    speaker.say(messages)
    run(milliseconds: 100)
    if stays, open.count < 3 { open.append(speaker) } else { speaker.leave() }
    return speaker.heard
  }

  /// Lets a little time pass; a step has ten seconds.
  func run(milliseconds: Int) { house.clock.advance(by: .milliseconds(milliseconds)) }

  /// Whether a space of hers says who is in another one.
  var holdsMembers: Bool {
    let members = Set((((try? house.store.spaces) ?? []) + opened).map(Access.space))
    return opened.contains(where: members.contains)
  }

  func leave() {
    for speaker in open { speaker.leave() }
    open = []
    for body in held { body.aborted() }
    held = []
    run(milliseconds: 20)
  }

  /// A push of these cells under a site, each with the next number: as one transaction, or, from a stamp on,
  /// each as one of its own, so that what is refused of them refuses no other.
  func push(
    _ cells: [Written], site: Site, from seq: UInt64 = 0, stamp: Stamp? = nil, raising: [Dot] = []
  ) -> [Message] {
    let now = Stamp(milliseconds: house.clock.wallMilliseconds)
    let changes = cells.enumerated().map { place, cell in
      Change(
        entity: cell.entity, record: cell.record,
        cell: Cell(
          field: cell.field, merge: cell.field == Cell.existence ? .creation : .register,
          dot: Dot(site: site, seq: seq + UInt64(place) + 1),
          stamp: stamp.map { Stamp(rawValue: $0.rawValue + UInt64(place)) } ?? now,
          value: cell.value))
    }
    let own = Dot(site: site, seq: seq + UInt64(cells.count))
    let raised = ((cells.isEmpty ? [] : [own]) + raising).map {
      PushEnd.Raised(site: .new($0.site), seq: $0.seq)
    }
    return (changes.isEmpty ? [] : [.changes(changes)])
      + [.pushEnd(PushEnd(cursor: 1 + seq, position: [], raised: raised))]
  }

  /// One cell that she writes.
  struct Written {
    var entity: UInt32
    var record: RecordID
    var field: UInt32
    var value: Value
  }
}

/// One end of a link, and what it hears.
final class Speaker {
  private let link: any Link
  private let log = Lock<[Message]>([])

  init(_ link: any Link) {
    self.link = link
    link.start { [log] event in
      guard case .received(let bytes) = event, let message = try? Message(decoding: bytes) else {
        return
      }
      log.withLock { $0.append(message) }
    }
  }

  var heard: [Message] { log.withLock { $0 } }
  func say(_ messages: [Message]) { for message in messages { link.send(message.encoded()) } }
  func send(_ bytes: [UInt8]) { link.send(bytes) }
  func leave() { link.close() }
}
