import FoundationEssentials
import ReunionCore
import Testing

@testable import ReunionStore

/// Random histories of two to five replicas over each rule, through the merges of real stores
/// (docs/protocol.md 4.2).
@Suite struct SettingsMergeTests {
  /// How many histories; `REUNION_HISTORIES=100000` is the whole test.
  private static let histories =
    ProcessInfo.processInfo.environment["REUNION_HISTORIES"].flatMap(Int.init) ?? 400

  @Test func `every rule comes to the value of an oracle on every replica`() throws {
    let counts = try run(Self.histories, bugs: [])
    print("\(counts.histories) histories, \(counts.wrong) diverged")
    #expect(counts.wrong == 0)
  }

  @Test func `a seeded bug makes histories diverge, as a control`() throws {
    let counts = try run(200, bugs: [.tieBreakMissing])
    print("control: \(counts.wrong) of \(counts.histories) diverged")
    #expect(counts.wrong > 0)
  }

  private func run(
    _ histories: Int, bugs: SeededBugs
  ) throws -> (histories: Int, wrong: Int) {
    let folders = (0..<5).map { _ in Folder() }
    let stores = try folders.map { folder in
      try folder.open(Model(entities: [])) {
        $0.wallMilliseconds = { 1000 }
        $0.durability = .normal
        $0.seededBugs = bugs
      }
    }
    var wrong = 0
    for seed in 0..<histories {
      // A new space now and then, so that what is reconciled stays small.
      let account = SpaceID(high: 1, low: UInt64(seed / 20))
      var history = History(
        seed: UInt64(seed), stores: Array(stores.prefix(2 + seed % 4)), account: account)
      if try !history.run() { wrong += 1 }
    }
    return (histories, wrong)
  }
}

/// One history of one key of one rule.
private struct History {
  let stores: [Store]
  let account: SpaceID
  let name: String
  let rule: Int
  var random: Seeded

  init(seed: UInt64, stores: [Store], account: SpaceID) {
    self.stores = stores
    self.account = account
    random = Seeded(state: seed &* 7919)
    name = "key \(seed)"
    rule = Int.random(in: 0..<9, using: &random)
  }

  /// Whether all replicas come to what the oracle says.
  mutating func run() throws -> Bool {
    switch rule {
    case 0: try walk(SettingKey(name, default: 0), latest())
    case 1: try walk(SettingKey(name, default: 0, merge: .first), first())
    case 2: try walk(SettingKey(name, default: 0, merge: .max)) { $0.max() }
    case 3: try walk(SettingKey(name, default: 0, merge: .min)) { $0.min() }
    case 4: try walk(SettingKey(name, default: 0.5, merge: .max)) { $0.max() }
    case 5: try walk(SettingKey(name, default: false, merge: .or)) { $0.contains(true) }
    case 6: try walk(SettingKey(name, default: true, merge: .and)) { !$0.contains(false) }
    case 7: try count()
    default: try unite()
    }
  }

  /// Sets at random, and compares with what an oracle makes of all values that were set.
  private mutating func walk<V: FieldValue & Equatable>(
    _ key: SettingKey<V>, _ oracle: ([V]) -> V?
  ) throws -> Bool where V: RandomValue {
    var values: [V] = []
    try mix { settings, random in
      let value = V.random(&random)
      try settings.set(key, to: value)
      values.append(value)
    }
    return try agree(key, on: values.isEmpty ? key.defaultValue : oracle(values))
  }

  /// The value of the highest stamp and site that any replica ever wrote.
  private func latest() -> ([Int]) -> Int? {
    extreme {
      $0.register(SettingSlot.latest.field).map { [$0] } ?? []
    } by: {
      ($0.stamp, $0.dot.site) < ($1.stamp, $1.dot.site)
    }
  }

  private func first() -> ([Int]) -> Int? {
    extreme {
      $0.cells.filter { $0.field == SettingSlot.first.field }
    } by: {
      ($0.stamp, $0.dot.site) > ($1.stamp, $1.dot.site)
    }
  }

  private func extreme(
    _ cells: @escaping (RecordState) -> [Cell], by isBelow: @escaping (Cell, Cell) -> Bool
  ) -> ([Int]) -> Int? {
    let (stores, account, key) = (stores, account, SettingSlot.record(of: name))
    return { _ in
      let all = stores.flatMap { store in
        (try? store.record(entity: key.entity, key.id, in: account)).flatMap { $0 }.map(cells) ?? []
      }
      return all.max(by: isBelow)?.value.int.map { Int($0) }
    }
  }

  private mutating func count() throws -> Bool {
    let key = SettingKey(name, default: 0, merge: .counter)
    var sum = 0
    try mix { settings, random in
      let amount = Int.random(in: -5...5, using: &random)
      try settings.add(amount, to: key)
      sum += amount
    }
    return try agree(key, on: sum)
  }

  /// Against a naive set: additions have numbers, removals name those that were seen.
  private mutating func unite() throws -> Bool {
    let key = SettingKey(name, default: Set<Int>(), merge: .union)
    var added: [[Int: Int]] = stores.map { _ in [:] }
    var removed: [Set<Int>] = stores.map { _ in [] }
    var last = 0
    let sites = stores.map(\.site)
    try mix { settings, random in
      let replica = sites.firstIndex(of: settings.store.site) ?? 0
      let element = Int.random(in: 0...3, using: &random)
      let held = added[replica].filter { $0.value == element && !removed[replica].contains($0.key) }
      if Bool.random(using: &random) {
        try settings.insert(element, into: key)
        // An element that is there is not written again.
        if held.isEmpty {
          last += 1
          added[replica][last] = element
        }
      } else {
        try settings.remove(element, from: key)
        removed[replica].formUnion(held.keys)
      }
    } pull: { to, from in
      added[to].merge(added[from]) { old, _ in old }
      removed[to].formUnion(removed[from])
    }
    let gone = removed.reduce(into: Set<Int>()) { $0.formUnion($1) }
    let all = added.reduce(into: [Int: Int]()) { $0.merge($1) { old, _ in old } }
    return try agree(key, on: Set(all.filter { !gone.contains($0.key) }.values))
  }

  // Replicas

  private mutating func mix(
    _ write: (RoamingSettings, inout Seeded) throws -> Void, pull: (Int, Int) -> Void = { _, _ in }
  ) throws {
    let settings = try stores.map { try RoamingSettings($0, account: account) }
    for _ in 0..<Int.random(in: 3...10, using: &random) {
      let replica = Int.random(in: 0..<stores.count, using: &random)
      let other = Int.random(in: 0..<stores.count, using: &random)
      if replica != other, Int.random(in: 0..<3, using: &random) == 0 {
        try stores[replica].pull(from: stores[other], account)
        pull(replica, other)
      } else {
        try write(settings[replica], &random)
      }
    }
  }

  /// Exchanges all, and compares; the oracle was asked before.
  private func agree<V: FieldValue & Equatable>(
    _ key: SettingKey<V>, on expected: V?
  ) throws -> Bool {
    for replica in stores + stores {
      for other in stores where other !== replica { try replica.pull(from: other, account) }
    }
    let digests = Set(try stores.map { try $0.digest(of: account) })
    return try digests.count == 1
      && stores.allSatisfy { store in
        try RoamingSettings(store, account: account).value(of: key) == expected ?? key.defaultValue
      }
  }
}

private protocol RandomValue {
  static func random(_ random: inout Seeded) -> Self
}

extension Int: RandomValue {
  fileprivate static func random(_ random: inout Seeded) -> Int {
    .random(in: -9...9, using: &random)
  }
}

extension Double: RandomValue {
  fileprivate static func random(_ random: inout Seeded) -> Double {
    [-.infinity, -1.5, -0.0, 0, 1e-300, 2, .infinity].randomElement(using: &random) ?? 0
  }
}

extension Bool: RandomValue {
  fileprivate static func random(_ random: inout Seeded) -> Bool { .random(using: &random) }
}
