import Foundation
import Reunion
import ReunionCore
import ReunionFlow
import ReunionServer
import ReunionStore
import ReunionTesting

/// What those do who are honest.
extension TenantRun {
  func perform(_ step: TenantStep, _ random: inout SeededRandom) throws {
    switch step {
    case .add(let who): try add(who, nil, &random)
    case .edit(let who): try edit(who, &random)
    case .delete(let who): try delete(who, &random)
    case .upload(let who): upload(who, &random)
    case .name(let who):
      guard !tenants[who].unnamed.isEmpty else { return }
      let sent = tenants[who].unnamed.removeFirst()
      if sent.isTaken { try add(who, (sent.space, sent.file), &random) }
    case .look(let who): look(who, &random)
    case .grab(let who):
      let answer = house.ask(.post, "/grab", by: tenants[who].asker, body: [1, 2, 3])
      see(who, "app", "grab \(answer.status) \(answer.sentence)")
    case .cut(let who): tenants[who].cut()
    case .away(let who): tenants[who].goAwayOrComeBack()
    case .join(let who): join(who)
    case .own(let who): openOwn(who)
    case .erase: try erase(&random)
    case .serve:
      for name in [Cast.main, Cast.other] {
        try house.store.write(in: house.spaces.open(name).space) {
          _ = try $0.create(Score.self) { $0.points = Int64(random.next() % 100) }
        }
      }
    case .restart: try house.restart()
    case .pass, .attack: break
    }
  }

  /// One of somebody's spaces in which they may write.
  private func place(_ who: Int, _ random: inout SeededRandom) -> (name: String, id: SpaceID)? {
    let all = tenants[who].spaces.filter { !$0.name.hasPrefix("members") && $0.name != Cast.hers }
    return all.isEmpty ? nil : all[Int(random.next() % UInt64(all.count))]
  }

  private func add(
    _ who: Int, _ sent: (space: String, file: BlobReference)?, _ random: inout SeededRandom
  ) throws {
    let drawn = place(who, &random)
    let space = sent.flatMap { tenants[who].id($0.space) } ?? drawn?.id
    guard let space else { return }
    try tenants[who].store.write(in: space) { transaction in
      _ = try transaction.create(Note.self) { note in
        note.text = "\(Cast.names[who]) \(random.next() % 1000)"
        note.file = sent?.file
      }
    }
  }

  private func some(
    _ who: Int, _ random: inout SeededRandom
  ) throws -> (space: SpaceID, note: Note)? {
    guard let place = place(who, &random) else { return nil }
    let notes = try tenants[who].store.fetch(Query<Note>(in: place.id))
      .filter { $0.text.hasPrefix(Cast.names[who]) }.sorted { $0.id < $1.id }
    guard !notes.isEmpty else { return nil }
    return (place.id, notes[Int(random.next() % UInt64(notes.count))])
  }

  private func edit(_ who: Int, _ random: inout SeededRandom) throws {
    guard let (space, note) = try some(who, &random) else { return }
    let text = "\(Cast.names[who]) \(random.next() % 1000) again"
    try tenants[who].store.write(in: space) { try $0.set(\Note.text, of: note.id, to: text) }
  }

  private func delete(_ who: Int, _ random: inout SeededRandom) throws {
    guard let (space, note) = try some(who, &random) else { return }
    try tenants[who].store.write(in: space) { try $0.delete(Note.self, note.id) }
  }

  // MARK: Files

  /// The bytes of one of the files of a story; the attacker may have them too.
  static func content(_ seed: UInt64, _ file: Int) -> [UInt8] {
    var random = SeededRandom(seed: seed &+ UInt64(file) &* 977)
    return (0..<300).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  private func upload(_ who: Int, _ random: inout SeededRandom) {
    guard let place = place(who, &random) else { return }
    let content = Self.content(history.seed, number)
    let file = BlobReference(hash: BlobHash(of: content), byteCount: UInt64(content.count))
    let answer = send(content, file, to: place.id, by: tenants[who].asker)
    see(who, place.name, "upload \(answer.status) \(answer.sentence)")
    let isTaken = answer.status == 200
    if isTaken { acknowledged(file, by: who, in: place.name) }
    tenants[who].unnamed.append((place.name, file, isTaken))
  }

  /// Sends a file whole; that it need not be sent is the same answer.
  func send(
    _ content: [UInt8], _ file: BlobReference, to space: SpaceID, by asker: TenantHouse.Asker
  ) -> TenantHouse.Answer {
    let digest = Data(file.hash.bytes).base64EncodedString()
    let begun = house.ask(
      .post, "/uploads?space=\(space)&use=original", by: asker,
      ["Upload-Length": "\(content.count)", "Repr-Digest": "sha-256=:\(digest):"])
    guard begun.status == 201, let location = begun.headers["Location"] else { return begun }
    return house.ask(
      .patch, "\(location)?space=\(space)", by: asker,
      ["Upload-Offset": begun.headers["Upload-Offset"] ?? "0", "Upload-Complete": "?1"],
      body: content)
  }

  // MARK: Questions

  private func look(_ who: Int, _ random: inout SeededRandom) {
    guard let place = place(who, &random) else { return }
    let (asker, dice) = (tenants[who].asker, random.next() % 4)
    switch dice {
    case 0:
      let answer = house.ask(.get, "/session?space=\(place.id)", by: asker)
      let spaces = answer.fields["spaces"] as? [[String: Any]] ?? []
      let names = spaces.map { "\($0["name"] ?? "") \($0["role"] ?? "")" }
        .filter { !isHers(String($0.prefix { $0 != " " })) }.sorted()
      see(who, place.name, "session \(answer.status) \(answer.sentence) \(names)")
    case 1:
      let answer = house.ask(.get, "/devices?space=\(place.id)", by: asker)
      see(who, place.name, "devices \(answer.status) \(devices(answer, in: place.name))")
    case 2:
      let files = stored.filter { $0.space == place.name }
      for each in files.suffix(2) {
        let answer = house.ask(.get, "/blobs/\(each.file.hash)?space=\(place.id)", by: asker)
        see(who, place.name, "blob \(answer.status) \(answer.sentence) \(answer.body.count)")
      }
    default:
      let answer = house.ask(.get, "/person", by: asker)
      see(who, "app", "person \(answer.status) \(answer.sentence)")
      see(who, "app", "health \(house.ask(.get, "/health", by: asker).status)")
    }
  }

  /// The devices of a space. The attacker may be in a space that let her in.
  private func devices(_ answer: TenantHouse.Answer, in space: String) -> [String] {
    let all = answer.fields["devices"] as? [[String: Any]] ?? []
    return all.compactMap { device in
      let number = device["device"] as? String ?? ""
      let role = device["role"] as? String ?? ""
      let known = tenants.first { tenant in
        tenant.id(space).map { Access.text(of: tenant.store.device(in: $0)) } == number
      }
      if known == nil, space == Cast.main, history.role != .stranger { return nil }
      return "\(known?.name ?? "somebody") \(role)"
    }.sorted()
  }

  // MARK: Members

  /// Dan joins the first space, and anybody else again.
  private func join(_ who: Int) {
    let role: Role = [Cast.ada: .admin, Cast.cyd: .edit][who] ?? .add
    let tenant = tenants[who]
    let before = tenant.id(Cast.main).map { Access.text(of: tenant.store.device(in: $0)) }
    let token = tenant.asker.token
    let answer = tenant.join(Cast.main, secrets[Cast.main]?[role] ?? "")
    let number = answer.fields["device"] as? String
    // Which number somebody is given who comes for the first time nobody sees.
    let isSame = (before == nil || number == before) && answer.fields["token"] as? String == token
    see(who, Cast.main, "join \(answer.status) \(answer.sentence) \(isSame ? "as ever" : "as new")")
  }

  private func openOwn(_ who: Int) {
    var random = SeededRandom(seed: history.seed ^ UInt64(who + 77))
    let person = RecordID(high: random.next(), low: random.next())
    let space = SpaceID.own(of: person.description, named: "book")
    let answer = house.ask(
      .post, "/own", by: tenants[who].asker,
      body: Array("{\"person\":\"\(person)\",\"space\":\"\(space)\",\"name\":\"book\"}".utf8))
    see(who, "own", "own \(answer.status) \(answer.sentence)")
    guard answer.status == 200 else { return }
    opened(space, by: who)
    tenants[who].enter("own", space)
  }

  private func erase(_ random: inout SeededRandom) throws {
    guard let (space, note) = try some(Cast.cyd, &random) else { return }
    let answer = house.ask(
      .delete, "/records/note/\(note.id)?space=\(space)", by: tenants[Cast.cyd].asker)
    let name = tenants[Cast.cyd].spaces.first { $0.id == space }?.name ?? ""
    see(Cast.cyd, name, "erase \(answer.status) \(answer.sentence)")
    if answer.status < 300, let file = note.file { giveUp(file, in: name) }
  }
}
