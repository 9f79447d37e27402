import Foundation
import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync
import ReunionTesting

/// A record of the rows `audit-equal`, `audit-one` and `change-cpu` of `make bench-sync`: ten cells with its creation.
struct Reading: Entity {
  let id: RecordID
  var place = "", unit = "", note = ""
  var a = 0, b = 0, c = 0, d = 0, e = 0, f = 0
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Reading>(
    1, "reading",
    [
      .field(1, "place", \.place), .field(2, "unit", \.unit), .field(3, "note", \.note),
      .field(4, "a", \.a), .field(5, "b", \.b), .field(6, "c", \.c), .field(7, "d", \.d),
      .field(8, "e", \.e), .field(9, "f", \.f),
    ])
}

/// A link that counts what goes over it.
private final class CountingLink: Link {
  let link: MemoryLink
  let sent = Lock((bytes: 0, messages: 0))
  init(_ link: MemoryLink) { self.link = link }
  var messageBytesMax: Int { link.messageBytesMax }
  var queuedBytes: Int { link.queuedBytes }
  func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) { link.start(deliver) }
  func pauseReceiving(_ isPaused: Bool) { link.pauseReceiving(isPaused) }
  func close() { link.close() }
  func send(_ message: [UInt8]) {
    sent.withLock { ($0.bytes, $0.messages) = ($0.bytes + message.count, $0.messages + 1) }
    link.send(message)
  }
}

/// Audits two stores of a folder that hold the same `count` records, and prints what that costs: the first time, when
/// both are equal, and when one of them has one record more, which the other is believed to hold.
func auditMany(_ count: Int, in folder: String) throws {
  let clock = TestClock()
  let model = Model(Reading.schema)
  let space = SpaceID(high: 1, low: 2)
  let stores = try ["server", "phone"].map {
    try Store.open(folder: "\(folder)/\($0)", model: model, options: StoreOptions())
  }
  for start in stride(from: 0, to: count, by: 1000) {
    try stores[0].write(in: space) { transaction in
      for number in start..<min(start + 1000, count) {
        try transaction.create(Reading.self) { reading in
          (reading.place, reading.unit, reading.note) = ("place \(number % 97)", "°C", "as ever")
          (reading.a, reading.b, reading.c) = (number, number * 7, number % 11)
          (reading.d, reading.e, reading.f) = (number / 3, number ^ 5, 9)
        }
      }
    }
  }
  try stores[1].pull(from: stores[0], in: space)
  let random = SharedRandom(seed: 1)
  func connect() -> (links: [CountingLink], sessions: [Session]) {
    let ends = MemoryLink.pair(
      clock: clock, faults: LinkFaults(delayMilliseconds: 1...1), random: random)
    let links = [CountingLink(ends.0), CountingLink(ends.1)]
    let sessions = stores.indices.map { index in
      var configuration = Session.Configuration(space: space)
      configuration.dialsServer = index == 1
      configuration.audits = Audits(clock: clock) { $0() }
      return Session(
        link: links[index], store: stores[index], configuration: configuration, clock: clock,
        execute: { work in _ = clock.schedule(at: clock.now, work) })
    }
    for session in sessions { session.start() }
    clock.advance(by: .seconds(3))
    return (links, sessions)
  }
  var (links, sessions) = connect()
  func audit(_ name: String) {
    for link in links { link.sent.withLock { $0 = (0, 0) } }
    let start = processorNanoseconds()
    let differing = Lock<Int?>(nil)
    sessions[1].auditNow { count in differing.withLock { $0 = count } }
    clock.advance(by: .seconds(2))
    let nanoseconds = processorNanoseconds() - start
    let sums = links.map { link in link.sent.withLock { $0 } }
    print(
      "{\"name\": \"\(name)\","
        + " \"milliseconds\": \(Double(nanoseconds) / 1e6),"
        + " \"bytes\": \(sums[0].bytes + sums[1].bytes),"
        + " \"messages\": \(sums[0].messages + sums[1].messages),"
        + " \"differing\": \(differing.withLock { $0 } ?? -1)}")
  }
  audit("first")
  for _ in 0..<5 { audit("equal") }
  let start = processorNanoseconds()
  _ = try stores[1].digest(of: space)
  print("{\"name\": \"digest\", \"milliseconds\": \(Double(processorNanoseconds() - start) / 1e6)}")
  for session in sessions { session.stop() }
  clock.advance(by: .seconds(3))
  // Both hold what a third one wrote by their word, and the phone has none of it.
  let third = Site(device: 3, incarnation: 3)
  var raised = VersionVector()
  raised.raise(third, to: 1)
  let creation = Cell(
    field: Cell.existence, merge: .creation, dot: Dot(site: third, seq: 1),
    stamp: Stamp(milliseconds: 1_700_000_000_000), value: .null)
  let change = Change(entity: 1, record: stores[0].newID(), cell: creation)
  for (store, changes) in zip(stores, [[change], []]) {
    let push = IncomingPush(
      peer: third, helloSeq: 1, changes: changes, raised: raised, vector: raised, position: [1])
    _ = try store.apply(push, in: space, authority: .all)
  }
  (links, sessions) = connect()
  audit("one")
  for store in stores { try store.close() }
}

/// Processor time of this process so far.
func processorNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
