import Foundation
import NodeBrowsers
import ReunionCore
import Testing

@testable import ReunionStore

/// The same actions at random on counters, sets and lists in Swift and in JavaScript
/// (`Tests/World/collections.mjs`), on replicas of the same sites by the same clock and the same random
/// numbers: cell for cell, and value for value, they stay the same. One of four replicas is a page whose
/// core merges none of them: what it passes on is what it got.
@Suite(.enabled(if: NodeBrowsers.isThere, "node and .build/web are needed"))
struct CollectionsInJavaScriptTests {
  /// How many histories; `REUNION_HISTORIES=100000` is the whole test.
  private static let histories =
    ProcessInfo.processInfo.environment["REUNION_HISTORIES"].flatMap(Int.init) ?? 60

  @Test func `random changes write the same cells and read the same values in both languages`()
    throws
  {
    let both = Both(try InJavaScript("collections.mjs"))
    for seed in 0..<Self.histories {
      if let difference = try both.difference(seed: UInt64(seed)) {
        Issue.record("seed \(seed): \(difference)")
        return
      }
    }
    print("collections in two languages: \(Self.histories) histories, \(both.counts)")
    for act in Act.allCases { #expect((both.counts[act.rawValue] ?? 0) > Self.histories / 4) }
  }

  @Test(arguments: [Act.move, .remove, .add])
  func `a change that one language alone makes is seen (negative control)`(act: Act) throws {
    let both = Both(try InJavaScript("collections.mjs"))
    both.leftOut = act
    let found = try (0..<20).contains { try both.difference(seed: $0) != nil }
    #expect(found)
  }
}

/// What is done to a record; `collections.mjs` knows the same.
enum Act: String, CaseIterable {
  case add, insert, remove, insertSize, removeSize, insertItem, move, removeItem, set, assign,
    delete
}

private struct Errand: Entity, Equatable {
  let id: RecordID
  var tags: Set<String> = []
  var text = ""
  var done: Counter = 0
  var steps: OrderedList<String> = []
  var sizes: Set<Int> = []
  var note: String?
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Errand>(
    9, "errand",
    [
      .field(1, "tags", \.tags), .field(2, "text", \.text), .field(3, "done", \.done),
      .field(4, "steps", \.steps), .field(5, "sizes", \.sizes), .field(6, "note", \.note),
    ])
}

/// Four replicas in Swift, and four in JavaScript.
private final class Both {
  private(set) var counts: [String: Int] = [:]
  /// What JavaScript is not told of, for a control.
  var leftOut: Act?
  private let script: InJavaScript
  private let folders = (0..<4).map { _ in Folder() }
  private let outside = Outside()

  /// The clock and the random numbers of all eight.
  final class Outside: @unchecked Sendable {
    var milliseconds: UInt64 = 1_000_000
    var random = Seeded(state: 0)
  }

  init(_ script: InJavaScript) { self.script = script }

  /// What is the same in both.
  struct Look: Codable, Equatable {
    struct Record: Codable, Equatable {
      let id: String
      let alive: Bool
      let text: String?
      let note: String?
      let done: Int
      let tags: [String]
      let sizes: [Int]
      let steps: [String]
    }
    let cells: [String]
    let records: [Record]

    /// What another one lacks.
    func without(_ other: Look?) -> String {
      let known = Set((other?.cells ?? []) + (other?.records ?? []).map { "\($0)" })
      return (cells + records.map { "\($0)" }).filter { !known.contains($0) }
        .joined(separator: "\n")
    }
  }

  /// Performs a history in both; the first difference, or nil.
  func difference(seed: UInt64) throws -> String? {
    var random = Seeded(state: seed &* 7919)
    let outside = outside
    let stores = try folders.map { folder in
      try folder.open(Model(Errand.schema)) {
        $0.wallMilliseconds = { outside.milliseconds }
        $0.random = { outside.random.next() }
        $0.durability = .normal
      }
    }
    defer { for store in stores { try? store.close() } }
    outside.milliseconds += 1000
    let space = SpaceID(high: 3, low: seed)
    let sites = stores.map { Hexadecimal.text($0.site.bytes) }
    try script.tell(["do": "begin", "sites": sites])
    var ids: [RecordID] = []
    for step in 0..<30 {
      outside.milliseconds += .random(in: 0...2, using: &random)
      let device = Int.random(in: 0..<4, using: &random)
      let other = Int.random(in: 0..<4, using: &random)
      // Of few seeds, so that replicas put items at one place.
      let draws = UInt64.random(in: 0..<3, using: &random)
      let about: [String: Any] = [
        "device": device, "at": outside.milliseconds, "seed": "\(draws)",
      ]
      let known = try ids.compactMap { try stores[device].fetch(Errand.self, $0, in: space) }
      if device == 3 || device != other && Int.random(in: 0..<3, using: &random) == 0 {
        guard device != other else { continue }
        try stores[device].pull(from: stores[other], space)
        try script.tell(about.merging(["do": "meet", "other": other]) { $1 })
      } else if let errand = known.randomElement(using: &random),
        ids.count > 1 || Bool.random(using: &random)
      {
        let changes = Self.changes(errand, known, &random)
        for change in changes { counts[change.act.rawValue, default: 0] += 1 }
        try stores[device].write(in: space) { transaction in
          outside.random = Seeded(state: draws)
          for change in changes { try change.perform(transaction) }
        }
        let list = changes.filter { $0.act != leftOut }.map(\.told)
        try script.tell(about.merging(["do": "edit", "list": list]) { $1 })
      } else {
        let errand = Self.new(RecordID(high: seed, low: UInt64(ids.count)), &random)
        ids.append(errand.id)
        try stores[device].write(in: space) { transaction in
          outside.random = Seeded(state: draws)
          try transaction.create(errand)
        }
        let values = try #require(Change.values(of: errand, over: Errand(id: errand.id)))
        let event: [String: Any] = [
          "do": "create", "id": Hexadecimal.text(errand.id.bytes),
          "values": values.merging(["text": errand.text]) { $1 },
        ]
        try script.tell(about.merging(event) { $1 })
      }
      let ours = try Self.look(stores[device], ids, space)
      let theirs = try script.tell(
        ["do": "look", "device": device, "ids": ids.map { Hexadecimal.text($0.bytes) }], Look.self)
      guard let theirs, ours == theirs else {
        return "step \(step), replica \(device): \(ours.without(theirs))\n"
          + "in JavaScript \(theirs?.without(ours) ?? "nothing")"
      }
    }
    return nil
  }

  private static let words = ["salt", "été", "", "flour", "w", "oil"]

  private static func new(_ id: RecordID, _ random: inout Seeded) -> Errand {
    var errand = Errand(id: id)
    errand.text = words.randomElement(using: &random) ?? ""
    errand.done = Counter(.random(in: -1...2, using: &random))
    errand.tags = Set((0..<Int.random(in: 0...3, using: &random)).map { words[$0] })
    errand.steps = list(&random)
    return errand
  }

  private static func list(_ random: inout Seeded) -> OrderedList<String> {
    OrderedList(
      (0..<Int.random(in: 0...6, using: &random)).map { _ in
        words.randomElement(using: &random) ?? ""
      })
  }

  /// One assignment or deletion, or some changes of the parts of a record.
  private static func changes(
    _ errand: Errand, _ known: [Errand], _ random: inout Seeded
  ) -> [Change] {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return [Change(id: errand.id, act: .delete)]
    case 1, 2:
      var wanted = errand
      // Not of the list: which of several shortest ways leads from one to another, each language's
      // library decides.
      if Bool.random(using: &random) {
        wanted.tags.formSymmetricDifference(["salt", "été", "oil"])
      }
      if Bool.random(using: &random) { wanted.done.value += .random(in: -4...4, using: &random) }
      if Bool.random(using: &random) { wanted.note = errand.note == nil ? "n" : nil }
      return [Change(id: errand.id, act: .assign, before: errand, wanted: wanted)]
    default:
      var count = errand.steps.count
      return (0..<Int.random(in: 1...6, using: &random)).map { _ in
        Change.one(
          of: errand, itemCount: &count, word: words.randomElement(using: &random) ?? "", &random)
      }
    }
  }

  private static func look(_ store: Store, _ ids: [RecordID], _ space: SpaceID) throws -> Look {
    var cells: [String] = []
    var records: [Look.Record] = []
    for id in ids {
      guard let state = try store.record(entity: 9, id, in: space) else { continue }
      let text = Hexadecimal.text(id.bytes)
      cells += InJavaScript.lines(id, state)
      records.append(
        Look.Record(
          id: text, alive: state.isAlive, text: state.register(2)?.value.text,
          note: state.register(6)?.value.text, done: Int(state.count(3)),
          tags: state.members(1).compactMap(\.text).sorted(by: {
            $0.utf16.lexicographicallyPrecedes($1.utf16)
          }),
          sizes: state.members(5).compactMap(\.int).map(Int.init).sorted(),
          steps: state.items(4).compactMap(\.value.text)))
    }
    return Look(cells: cells.sorted(), records: records)
  }
}

/// A change of one record, for both languages.
private struct Change {
  let id: RecordID
  let act: Act
  var word = ""
  var number = 0
  var from = 0
  var index: Int?
  var before: Errand?
  var wanted: Errand?

  static func one(
    of errand: Errand, itemCount: inout Int, word: String, _ random: inout Seeded
  ) -> Change {
    let acts: [Act] = [
      .add, .insert, .remove, .insertSize, .removeSize, .insertItem, .insertItem, .move,
      .removeItem, .set,
    ]
    let act = acts.randomElement(using: &random) ?? .add
    let number = Int.random(in: -3...3, using: &random)
    var change = Change(id: errand.id, act: act, word: word, number: number)
    switch act {
    case .insertItem:
      if Bool.random(using: &random) { change.index = .random(in: 0...itemCount, using: &random) }
      itemCount += 1
    case .move where itemCount > 0:
      change.from = .random(in: 0..<itemCount, using: &random)
      change.index = .random(in: 0..<itemCount, using: &random)
    case .removeItem where itemCount > 0:
      change.index = .random(in: 0..<itemCount, using: &random)
      itemCount -= 1
    case .move, .removeItem: return Change(id: errand.id, act: .add, number: number)
    default: break
    }
    return change
  }

  func perform(_ transaction: WriteTransaction) throws {
    switch act {
    case .add: try transaction.add(number, to: \Errand.done, of: id)
    case .insert: try transaction.insert(word, into: \Errand.tags, of: id)
    case .remove: try transaction.remove(word, from: \Errand.tags, of: id)
    case .insertSize: try transaction.insert(number, into: \Errand.sizes, of: id)
    case .removeSize: try transaction.remove(number, from: \Errand.sizes, of: id)
    case .insertItem: try transaction.insert(word, into: \Errand.steps, at: index, of: id)
    case .move: try transaction.move(in: \Errand.steps, from: from, to: index ?? 0, of: id)
    case .removeItem: try transaction.remove(at: index ?? 0, from: \Errand.steps, of: id)
    case .set: try transaction.set(\Errand.text, of: id, to: word)
    case .assign: if let wanted { try transaction.update(wanted) }
    case .delete: try transaction.delete(Errand.self, id)
    }
  }

  /// As JavaScript is told it.
  var told: [String: Any] {
    let index: Any = index.map { $0 as Any } ?? NSNull()
    let about: [Any] =
      switch act {
      case .add, .insertSize, .removeSize: [number]
      case .insert, .remove, .set: [word]
      case .insertItem: [word, index]
      case .move: [from, index]
      case .removeItem: [index]
      case .assign:
        [before.flatMap { old in wanted.flatMap { Self.values(of: $0, over: old) } } ?? [:]]
      case .delete: []
      }
    return ["id": Hexadecimal.text(id.bytes), "act": act.rawValue, "about": about]
  }

  /// The values of a record that differ from another's, by name.
  static func values(of errand: Errand, over old: Errand) -> [String: Any]? {
    var values: [String: Any] = [:]
    if errand.tags != old.tags { values["tags"] = Array(errand.tags) }
    if errand.text != old.text { values["text"] = errand.text }
    if errand.done != old.done { values["done"] = errand.done.value }
    if errand.steps != old.steps { values["steps"] = Array(errand.steps) }
    if errand.note != old.note { values["note"] = errand.note.map { $0 as Any } ?? NSNull() }
    return values
  }
}
