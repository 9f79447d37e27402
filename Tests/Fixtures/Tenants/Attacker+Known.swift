import Foundation
import Reunion
import ReunionCore
import ReunionFlow
import ReunionServer
import ReunionStore
import ReunionSync
import ReunionTesting

/// The attacks that are known.
extension Attacker {
  func perform(_ attack: Attack, _ random: inout SeededRandom) throws {
    switch attack {
    case .eraseFile: eraseFile(&random)
    case .takeMembers: takeMembers(&random)
    case .carryNumber: carryNumber(&random)
    case .pairNumber: pairNumber(&random)
    case .claimNumber: claimNumber(&random)
    case .giveUpSites: giveUpSites(&random)
    case .neverEndPush: neverEndPush(&random)
    case .joinAgain: joinAgain()
    case .inventSites: inventSites()
    case .holdBodies: holdBodies()
    case .sendSame: sendSame(&random)
    case .crowd: crowd()
    case .openSessions: openSessions()
    case .leaveAndJoin: leaveAndJoin()
    case .pushAnything: pushAnything(&random)
    case .askAnything: askAnything(&random)
    case .sayNonsense: sayNonsense(&random)
    }
  }

  /// One of the files of the story, those that nobody has sent yet too.
  private func file(_ random: inout SeededRandom) -> (content: [UInt8], file: BlobReference) {
    let uploads = run.history.steps.filter { if case .upload = $0.step { true } else { false } }
    let number =
      uploads.isEmpty ? 0 : uploads[Int(random.next() % UInt64(uploads.count))].number
    let content = TenantRun.content(run.history.seed, number)
    return (content, BlobReference(hash: BlobHash(of: content), byteCount: 300))
  }

  /// Where she may write, by whom.
  func places() -> [(member: Member, space: SpaceID)] {
    var places: [(Member, SpaceID)] = []
    if role == .add || role == .edit, let main = space(Cast.main) { places.append((eve, main)) }
    if role == .host, let hers = space(Cast.hers) { places.append((eve, hers)) }
    if let own = withOwnSpace() { places.append(own) }
    return places
  }

  /// Erases for good what others send, in all places that are hers.
  private func eraseFile(_ random: inout SeededRandom) {
    let hash = file(&random).file.hash
    let record = RecordID(bytes: Array(hash.bytes.prefix(16))) ?? id()
    for (member, space) in places() {
      let site = Site(device: member.number, incarnation: bits())
      speak(
        to: space, by: member, site: site,
        push(
          [
            Written(entity: Cell.fieldMax, record: record, field: 0, value: .null),
            Written(entity: Cell.fieldMax, record: record, field: 1, value: .bytes(hash.bytes)),
          ], site: site))
    }
  }

  /// Opens a space that is the members of another one of hers, and then that one.
  private func takeMembers(_ random: inout SeededRandom) {
    guard let member = another() else { return }
    let person = RecordID(high: bits(), low: bits())
    let space = SpaceID.own(of: person.description, named: "hers")
    let members = Access.space(of: space)
    let isFirst = random.next() % 2 == 0
    for each in isFirst ? [members, space] : [space, members] {
      _ = own(each, of: person, by: member)
    }
    carry(into: members, of: space, by: member, &random)
  }

  /// As host of a space, writes among its members a device that has another's number.
  private func carryNumber(_ random: inout SeededRandom) {
    guard role == .host, let hers = space(Cast.hers) else { return }
    carry(into: Access.space(of: hers), of: hers, by: eve, &random)
  }

  /// Writes a member of her choice, and comes as that.
  private func carry(
    into members: SpaceID, of space: SpaceID, by member: Member, _ random: inout SeededRandom
  ) {
    let number = victim(&random)
    let token = Secret.text(Array(Site(device: bits(), incarnation: bits()).bytes))
    let site = Site(device: member.number, incarnation: bits())
    let record = id()
    let values: [(UInt32, Value)] = [
      (0, .null), (1, .bytes(Secret.hash(token))), (2, .text("admin")),
      (3, .int(Int64(bitPattern: number))), (4, .bool(true)), (5, .bool(false)),
      (6, .date(milliseconds: Int64(house.clock.wallMilliseconds))),
    ]
    speak(
      to: members, by: member, site: site,
      push(
        values.map { Written(entity: 16_777_202, record: record, field: $0.0, value: $0.1) },
        site: site))
    come(with: token, as: number, in: space, &random)
  }

  /// The number of somebody honest, who may be to come, or the server's.
  private func victim(_ random: inout SeededRandom) -> UInt64 {
    let main = space(Cast.main)
    let all =
      run.tenants.flatMap { tenant in
        [tenant.store.siteDevice] + (main.map { [tenant.store.device(in: $0)] } ?? [])
      } + [house.store.siteDevice, Cast.absent.device]
    return all[Int(random.next() % UInt64(all.count))]
  }

  /// Pairs a device that says that it has another's number.
  private func pairNumber(_ random: inout SeededRandom) {
    guard let member = another() else { return }
    let person = RecordID(high: bits(), low: bits())
    let space = SpaceID.own(of: person.description, named: "hers")
    guard own(space, of: person, by: member) else { return }
    let link = house.ask(
      .post, "/pairing-link", by: member.asker, body: Array("{\"person\":\"\(person)\"}".utf8))
    guard let secret = (link.fields["url"] as? String)?.split(separator: "=").last else { return }
    let number = victim(&random)
    let key = Secret.hash("\(bits())").map { String($0 % 10) }.joined() + "0123456789"
    let paired = house.ask(
      .post, "/pair", by: TenantHouse.Asker(network: eve.asker.network),
      body: Array(
        ("{\"pair\":\"\(secret)\",\"key\":\"\(key)\",\"replica\":true,"
          + "\"device\":\"\(Access.text(of: number))\"}").utf8))
    guard let token = paired.fields["token"] as? String else { return }
    come(with: token, as: number, in: space, &random)
  }

  /// Joins as a number that somebody else has, or will come with.
  private func claimNumber(_ random: inout SeededRandom) {
    let number = victim(&random)
    guard let member = joinMain(nil, as: number) else { return }
    if let main = space(Cast.main) { actAs(number, member, in: main, &random) }
  }

  /// With a token that may stand for another's number: in the space where it does, and in the first one.
  private func come(
    with token: String, as number: UInt64, in space: SpaceID, _ random: inout SeededRandom
  ) {
    let asker = TenantHouse.Asker(token: token, network: eve.asker.network)
    let member = Member(asker: asker, number: number)
    for _ in 0..<TenantHouse.requestsPerMinute + 5 {
      _ = house.ask(.get, "/session?space=\(space)", by: asker)
    }
    for count in 0..<45 {
      let hash = BlobHash(of: [UInt8(count), 9])
      let digest = Data(hash.bytes).base64EncodedString()
      _ = house.ask(
        .post, "/uploads?space=\(space)", by: asker,
        ["Upload-Length": "2000", "Repr-Digest": "sha-256=:\(digest):"])
    }
    actAs(number, member, in: space, &random)
    guard let joined = joinMain(token), let main = self.space(Cast.main) else { return }
    actAs(joined.number, joined, in: main, &random)
  }

  /// Writes over what a number wrote, says what the server alone may say, and gives up its site.
  private func actAs(
    _ number: UInt64, _ member: Member, in space: SpaceID, _ random: inout SeededRandom
  ) {
    let server = house.store.site
    let site = Site(device: number, incarnation: bits())
    let later = Stamp(milliseconds: house.clock.wallMilliseconds + 3_600_000)
    var cells: [Written] = []
    for tenant in run.tenants
    where tenant.store.device(in: space) == number || number == Cast.absent.device {
      let notes = (try? tenant.store.fetch(Query<Note>(in: space))) ?? []
      cells = notes.map {
        Written(entity: 1, record: $0.id, field: 1, value: .text("taken"))
      }
    }
    if number == server.device {
      let score = id()
      cells += [
        Written(entity: 2, record: score, field: 0, value: .null),
        Written(entity: 2, record: score, field: 1, value: .int(1_000_000)),
      ]
    }
    speak(to: space, by: member, site: site, push(cells, site: site, stamp: later))
    let given =
      run.tenants.map { $0.store.site(in: space) }.first { $0.device == number } ?? server
    guard given.device == number else { return }
    let retired = RecordID(high: given.device, low: given.incarnation)
    let next = Site(device: number, incarnation: bits())
    speak(to: space, by: member, site: next, push(retirement(of: retired), site: next))
  }

  private func retirement(of record: RecordID, floor: Int64 = 0) -> [Written] {
    [
      Written(entity: 16_777_210, record: record, field: 0, value: .null),
      Written(entity: 16_777_210, record: record, field: 1, value: .int(floor)),
    ]
  }

  /// Gives up sites that her own device never had, such as it had, and those of others.
  private func giveUpSites(_ random: inout SeededRandom) {
    for (member, space) in places() {
      for _ in 0..<2 {
        let (site, gone) = (bits(), bits())
        let own = Site(device: member.number, incarnation: site)
        let note = id()
        if random.next() % 2 == 0 {
          // First one that the server holds, so that its vector is lowered.
          let old = Site(device: member.number, incarnation: gone)
          speak(
            to: space, by: member, site: old,
            push(
              [
                Written(entity: 1, record: note, field: 0, value: .null),
                Written(entity: 1, record: note, field: 1, value: .text("eve")),
              ], site: old))
        }
        speak(
          to: space, by: member, site: own,
          push(retirement(of: RecordID(high: member.number, low: gone)), site: own))
      }
      let sites = run.tenants.map { $0.store.site(in: space) } + [house.store.site]
      let theirs = sites[Int(random.next() % UInt64(sites.count))]
      let site = Site(device: member.number, incarnation: bits())
      speak(
        to: space, by: member, site: site,
        push(retirement(of: RecordID(high: theirs.device, low: theirs.incarnation)), site: site))
    }
  }

  /// Pushes of which the end never comes.
  private func neverEndPush(_ random: inout SeededRandom) {
    for (member, space) in places() {
      let site = Site(device: member.number, incarnation: bits())
      let parts = (1...4).map { seq in
        Message.changes([
          Change(
            entity: 1, record: id(),
            cell: Cell(
              field: 1, merge: .register, dot: Dot(site: site, seq: UInt64(seq)),
              stamp: Stamp(milliseconds: house.clock.wallMilliseconds),
              value: .text(String(repeating: "x", count: 400_000))))
        ])
      }
      speak(to: space, by: member, site: site, parts, stays: random.next() % 2 == 0)
    }
  }

  /// Joins as who she is already, again and again.
  private func joinAgain() {
    for _ in 0..<40 { _ = joinMain(eve.asker.token) }
  }

  /// Claims changes of sites that are new with each push.
  private func inventSites() {
    for (member, space) in places() {
      for _ in 0..<4 {
        let site = Site(device: member.number, incarnation: bits())
        let notes = (0..<15).map { _ in
          (site: Site(device: member.number, incarnation: bits()), note: id())
        }
        let stamp = Stamp(milliseconds: house.clock.wallMilliseconds)
        let changes = notes.map { each in
          Change(
            entity: 1, record: each.note,
            cell: Cell(
              field: 0, merge: .creation, dot: Dot(site: each.site, seq: 1), stamp: stamp,
              value: .null))
        }
        let end = push([], site: site, raising: notes.map { Dot(site: $0.site, seq: 1) })
        speak(to: space, by: member, site: site, [.changes(changes)] + end)
      }
    }
  }

  /// Begins what the app takes in, and does not end it; once more, and lets it go.
  private func holdBodies() {
    guard held.isEmpty else {
      for body in held { body.aborted() }
      return held = []
    }
    for _ in 0..<12 {
      if let body = house.hold(.post, "/grab", by: eve.asker, bytes: 900) { held.append(body) }
    }
  }

  /// Sends what somebody else sends too, here and there, whole, wrong, or in part.
  private func sendSame(_ random: inout SeededRandom) {
    let (content, file) = file(&random)
    for (member, space) in places() {
      switch random.next() % 3 {
      case 0: _ = run.send(content, file, to: space, by: member.asker)
      case 1: _ = run.send([UInt8](repeating: 7, count: 300), file, to: space, by: member.asker)
      default:
        let digest = Data(file.hash.bytes).base64EncodedString()
        let begun = house.ask(
          .post, "/uploads?space=\(space)", by: member.asker,
          ["Upload-Length": "300", "Repr-Digest": "sha-256=:\(digest):"])
        guard let location = begun.headers["Location"] else { continue }
        _ = house.ask(.delete, "\(location)?space=\(space)", by: member.asker)
      }
    }
  }

  /// Comes as many, each with as much as one may bring to a space of its own.
  private func crowd() {
    for _ in 0..<12 {
      guard let (member, space) = withOwnSpace() else { return }
      let site = Site(device: member.number, incarnation: bits())
      let cells = (0..<60).map { _ in
        Written(entity: 1, record: id(), field: 0, value: .null)
      }
      speak(to: space, by: member, site: site, push(cells, site: site))
    }
  }

  private func openSessions() {
    for (member, space) in places() {
      for _ in 0..<9 { speak(to: space, by: member, [], stays: true) }
    }
  }

  /// Takes her device away from herself, and comes again.
  private func leaveAndJoin() {
    guard let (member, space) = withOwnSpace() else { return }
    _ = house.ask(.delete, "/person/\(Access.text(of: member.number))", by: member.asker)
    _ = house.ask(.delete, "/session?space=\(space)", by: member.asker)
    _ = house.ask(.delete, "/session", by: member.asker)
    _ = joinMain(member.asker.token)
  }
}
