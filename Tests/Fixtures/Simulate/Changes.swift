import Foundation
import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync
import ReunionTesting

/// The row `change-cpu` of `make bench-sync`: sets 100,000 fields of 10,000 records at a server five times over, has a
/// phone take them, and then sets one field after the other. Prints the processor time of each from the server's commit
/// until the phone has it in its store and the server knows, of both together, in microseconds.
func changeMany(_ count: Int, _ durability: StoreOptions.Durability, in folder: String) throws {
  let clock = TestClock()
  let space = SpaceID(high: 1, low: 2)
  var options = StoreOptions()
  options.durability = durability
  let model = Model(Reading.schema)
  let stores = try ["server", "phone"].map {
    try Store.open(folder: "\(folder)/\($0)", model: model, options: options)
  }
  let server = stores[0]
  let ids = try makeReadings(10_000, in: server, space)
  for pass in 0..<5 { try setAll(ids, pass, in: server, space) }
  try stores[1].pull(from: server, in: space)
  let ends = MemoryLink.pair(
    clock: clock, faults: LinkFaults(delayMilliseconds: 1...1), random: SharedRandom(seed: 1))
  let links = [ends.0, ends.1]
  let sessions = stores.indices.map { index in
    var configuration = Session.Configuration(space: space)
    configuration.dialsServer = index == 1
    return Session(
      link: links[index], store: stores[index], configuration: configuration, clock: clock,
      execute: { work in _ = clock.schedule(at: clock.now, work) })
  }
  for session in sessions { session.start() }
  clock.advance(by: .seconds(3))
  for number in 0..<count {
    let (id, value) = (ids[number * 7 % ids.count], 1_000_000 + number)
    try server.write(in: space) { try $0.set(\Reading.a, of: id, to: value) }
    let start = processorNanoseconds()
    clock.advance(by: .milliseconds(5))
    let nanoseconds = processorNanoseconds() - start
    let found = try stores[1].fetch(Reading.self, id, in: space)?.a
    guard found == value else { fatalError("The phone has \(found ?? 0) in place of \(value).") }
    print(Double(nanoseconds) / 1000)
  }
  for store in stores { try store.close() }
}

private func makeReadings(
  _ count: Int, in store: Store, _ space: SpaceID
) throws -> [RecordID] {
  try store.write(in: space) { transaction in
    try (0..<count).map { _ in try transaction.create(Reading.self) { _ in }.id }
  }
}

/// Sets ten fields of all records, a hundred in a commit.
private func setAll(
  _ ids: [RecordID], _ pass: Int, in store: Store, _ space: SpaceID
) throws {
  let numbers = [\Reading.a, \.b, \.c, \.d, \.e, \.f]
  let texts = [\Reading.place, \.unit, \.note]
  for start in stride(from: 0, to: ids.count, by: 100) {
    let some = ids[start..<start + 100]
    for field in numbers {
      try store.write(in: space) { transaction in
        for id in some { try transaction.set(field, of: id, to: pass) }
      }
    }
    for field in texts {
      try store.write(in: space) { transaction in
        for id in some { try transaction.set(field, of: id, to: "text of pass \(pass)") }
      }
    }
  }
}
