import Foundation
import Reunion
import ReunionCore
import ReunionFlow
import ReunionServer
import ReunionStore
import ReunionSync
import ReunionTesting

/// Somebody honest: a store of their own, a token, and a connection for each of their spaces.
///
/// Unchecked: all of a story is on one thread, its links too.
final class Tenant: @unchecked Sendable {
  let name: String
  let number: Int
  let store: Store
  var asker: TenantHouse.Asker
  /// Their spaces, by the names that this world has for them.
  private(set) var spaces: [(name: String, id: SpaceID)] = []
  private(set) var isAway = false
  /// What they sent and have not named yet; what was not taken is named by nobody, and keeps its place:
  /// what becomes of a file in one space moves nothing in another.
  var unnamed: [(space: String, file: BlobReference, isTaken: Bool)] = []
  private var connections: [SpaceID: Connection] = [:]
  private let lines = Lock<[SpaceID: (line: TenantLine, count: Int)]>([:])
  private let house: TenantHouse
  private let seed: UInt64
  private let ids = Lock(SeededRandom(seed: 0))

  init(_ number: Int, seed: UInt64, at house: TenantHouse) throws {
    name = Cast.names[number]
    self.number = number
    self.house = house
    asker = TenantHouse.Asker(network: "10.0.0.\(number + 1)")
    self.seed = seed
    let first = SeededRandom(seed: seed &+ UInt64(number + 1) &* 0xa076_1d64)
    ids.withLock { $0 = first }
    var options = StoreOptions()
    options.disk = SimulatedDisk(seed: seed)
    options.wallMilliseconds = { [clock = house.clock] in clock.wallMilliseconds }
    // Where the server believes too much, that is what is shown.
    options.seededBugs = house.bugs.editorBelieved ? SeededBugs() : house.bugs
    options.random = { [ids] in ids.withLock { $0.next() } }
    store = try Store.open(folder: "/store", model: TenantModel.notes, options: options)
  }

  /// Has their ids come from here on: what they hear of others draws none of theirs.
  func draw(from seed: UInt64) {
    ids.withLock { $0 = SeededRandom(seed: seed &+ UInt64(number + 1) &* 0xa076_1d64) }
  }

  /// Joins by a link, with the token that they have.
  func join(_ name: String, _ secret: String) -> TenantHouse.Answer {
    let device = Access.text(of: id(name).map { store.device(in: $0) } ?? store.siteDevice)
    let answer = house.ask(
      .post, "/join", by: asker,
      body: Array("{\"invite\":\"\(secret)\",\"replica\":true,\"device\":\"\(device)\"}".utf8))
    guard answer.status == 200, let token = answer.fields["token"] as? String,
      let space = (answer.fields["space"] as? String).flatMap({ SpaceID($0) })
    else { return answer }
    asker.token = token
    try? takeNumber(answer, in: space)
    enter(name, space)
    if answer.fields["role"] as? String == "admin" {
      enter("members of \(name)", Access.space(of: space))
    }
    return answer
  }

  /// Writes in a space under the number that the server gave, as a replica does.
  func takeNumber(_ answer: TenantHouse.Answer, in space: SpaceID) throws {
    guard let number = (answer.fields["device"] as? String).flatMap({ Access.device($0) }),
      !house.bugs.givenNumberNotTaken
    else { return }
    try store.take(number, in: space)
  }

  /// Keeps a space in sync from now on.
  func enter(_ name: String, _ space: SpaceID) {
    guard connections[space] == nil else { return }
    spaces.append((name, space))
    let clock = house.clock
    // Of each connection its own: how often another dials moves none of its times.
    let chances = SharedRandom(
      seed: seed &+ UInt64(number) &* 0x5bd1_e995 &+ UInt64(spaces.count) &* 0x9e37_79b9)
    var configuration = Session.Configuration(space: space)
    configuration.dialsServer = true
    let connection = Connection(
      store: store, configuration: configuration, clock: clock,
      execute: { work in _ = clock.schedule(at: clock.now, work) },
      chance: { chances.draw { Double.random(in: 0...1, using: &$0) } },
      makeLink: { [unowned self] in dial(space) })
    connections[space] = connection
    if !isAway { connection.connect() }
  }

  private func dial(_ space: SpaceID) -> any Link {
    let answer = house.ask(.get, "/sync?space=\(space)", by: asker)
    guard let line = answer.line else {
      let ending = WebSocketEnding(authority: "server")
      return RefusedLink(
        clock: house.clock, ending.refused(answer.status, reason: answer.sentence))
    }
    lines.withLock { $0[space] = (line, ($0[space]?.count ?? 0) + 1) }
    return line.client
  }

  /// In the order of their spaces: a dictionary's is another each time.
  func cut() {
    let open = lines.withLock { lines in spaces.compactMap { lines[$0.id] } }
    for each in open { each.line.cut() }
  }

  func goAwayOrComeBack() {
    isAway.toggle()
    for connection in spaces.compactMap({ connections[$0.id] }) {
      isAway ? connection.disconnect() : connection.connect()
    }
  }

  /// Ends all, so that nothing keeps anything alive.
  func end() {
    for (_, space) in spaces { connections[space]?.disconnect() }
  }

  func id(_ name: String) -> SpaceID? { spaces.first { $0.name == name }?.id }

  /// How a space shows itself to them: the link, what they hold, and what is missing.
  func sight(of name: String, _ hides: (RecordID) -> Bool) throws -> [String] {
    guard let space = id(name), let connection = connections[space] else { return [] }
    var lines = [
      "\(Self.text(connection.state.value)), session \(self.lines.withLock { $0[space]?.count ?? 0 })"
        + ", \(Self.text(connection.conversation.value))"
    ]
    if name.hasPrefix("members") { return lines }
    for note in try store.fetch(Query<Note>(in: space)) where !hides(note.id) {
      lines.append("note \(note.id) \(note.text) \(note.file.map { "\($0.hash)" } ?? "-")")
    }
    for score in try store.fetch(Query<Score>(in: space)) {
      lines.append("score \(score.id) \(score.points)")
    }
    let missing = try store.blobs.missing(in: space).map { "lacks \($0.hash)" }
    return lines + missing.sorted()
  }

  private static func text(_ state: Connection.State) -> String {
    switch state {
    case .waiting(let attempt, _, let reason): "waiting \(attempt) \(reason)"
    default: "\(state)"
    }
  }

  private static func text(_ state: Conversation.State) -> String {
    switch state {
    case .live(let live): "live, \(live.hasCaughtUp ? "all here" : "behind")"
    case .closed(let ending):
      "closed \(ending.code.map { "\($0.rawValue)" } ?? "")"
        + " \(String(decoding: ending.sentence, as: UTF8.self))"
    default: "on the way"
    }
  }
}
