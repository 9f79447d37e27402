import Foundation
import ReunionCore
import ReunionFlow
import ReunionServer
import ReunionStore
import ReunionSync
import ReunionTesting

/// What the attacker does at random.
extension Attacker {
  /// A push of changes of any entity, record, field, site, number and stamp.
  func pushAnything(_ random: inout SeededRandom) {
    let all = places()
    guard !all.isEmpty else { return }
    let (member, space) = all[Int(random.next() % UInt64(all.count))]
    let site = Site(device: member.number, incarnation: bits())
    let records = run.tenants.flatMap { tenant in
      tenant.spaces.flatMap { place in
        ((try? tenant.store.fetch(Query<Note>(in: place.id))) ?? []).map(\.id)
      }
    }
    let sites = run.tenants.map { $0.store.site(in: space) } + [house.store.site, site, site, site]
    let entities: [UInt32] = [
      1, 1, 1, 2, 9, 16_777_200, 16_777_201, 16_777_202, 16_777_205, 16_777_206, 16_777_207,
      16_777_208, 16_777_210, 16_777_211, 16_777_212, 16_777_216,
    ]
    func one<Element>(_ list: [Element]) -> Element {
      list[Int(random.next() % UInt64(list.count))]
    }
    let now = house.clock.wallMilliseconds
    let changes = (0..<1 + random.next() % 12).map { _ in
      let isKnown = random.next() % 2 == 0 && !records.isEmpty
      let field = UInt32(random.next() % 8)
      let merge = MergeKind(rawValue: one([0, 0, 1, 2, 2, 2, 2, 3, 4, 5, 6]))
      return Change(
        entity: one(entities), record: isKnown ? one(records) : id(),
        cell: Cell(
          field: merge == .creation ? 0 : field, merge: merge,
          dot: Dot(site: one(sites), seq: one([1, 1, 2, 3, 9, 1 << 40])),
          stamp: one([
            Stamp(milliseconds: now), Stamp(milliseconds: now + 86_400_000), Stamp(rawValue: 9),
            Stamp.guestLimit,
          ]),
          value: one([.null, .text("eve"), .int(-1), .bytes([1, 2, 3]), .bool(true)])))
    }
    let raised = (0..<random.next() % 4).map { _ in
      PushEnd.Raised(site: .new(one(sites)), seq: one([1, 5, 1 << 30]))
    }
    speak(
      to: space, by: member, site: random.next() % 4 == 0 ? one(sites) : site,
      [.changes(changes), .pushEnd(PushEnd(cursor: 3, position: [], raised: raised))])
  }

  /// A request for anything, with anything.
  func askAnything(_ random: inout SeededRandom) {
    func one<Element>(_ list: [Element]) -> Element {
      list[Int(random.next() % UInt64(list.count))]
    }
    let spaces = [Cast.main, Cast.other, Cast.hers].compactMap { space($0) }
    let devices = run.tenants.map { Access.text(of: $0.store.siteDevice) }
    let files = run.stored.map { "\($0.file.hash)" } + ["00"]
    let records = ["\(id())"]
    for _ in 0..<12 {
      let target = one([
        "/session", "/sync", "/devices", "/devices/\(one(devices))", "/person",
        "/person/\(one(devices))", "/blobs/\(one(files))", "/records/note/\(one(records))",
        "/owner-link", "/guests-link", "/invite", "/health", "/model.json", "/uploads",
        "/uploads/xyz", "/own", "/pair", "/pairing-link", "/join", "/join/picture", "/grab", "/",
      ])
      let isNamed = random.next() % 3 != 0
      var named = one(spaces)
      if random.next() % 3 == 0 { named = Access.space(of: named) }
      let query = isNamed ? "?space=\(named)" : ""
      let isStranger = random.next() % 4 == 0
      let answer = house.ask(
        one([.get, .post, .patch, .delete, .head, .put]), target + query,
        by: isStranger ? TenantHouse.Asker(network: eve.asker.network) : eve.asker,
        body: Array(one(["", "{}", "{\"person\":\"00\"}", "nonsense"]).utf8))
      answer.line?.cut()
    }
    run(milliseconds: 20)
  }

  /// Bytes that may be no messages, and messages out of turn.
  func sayNonsense(_ random: inout SeededRandom) {
    let all = places()
    guard !all.isEmpty else { return }
    let (member, space) = all[Int(random.next() % UInt64(all.count))]
    let hash = TenantRun.content(run.history.seed, 0)
    let messages: [Message] = [
      .acknowledge(cursor: 1 << 40), .refused([]), .want(BlobHash(of: hash), offset: 0),
      .have([BlobHash(of: hash)]), .lack(BlobHash(of: hash)), .ping(1), .pong(9),
      .bye(Bye(code: .renewed, sentence: [])), .later(Later(milliseconds: .max)), .unknown(99),
    ]
    let drawn = (0..<3).map { _ in messages[Int(random.next() % UInt64(messages.count))] }
    speak(to: space, by: member, drawn)
    if let line = house.ask(.get, "/sync?space=\(space)", by: member.asker).line {
      let speaker = Speaker(line.client)
      speaker.send((0..<40).map { _ in UInt8(truncatingIfNeeded: random.next()) })
      run(milliseconds: 20)
      speaker.leave()
    }
  }
}
