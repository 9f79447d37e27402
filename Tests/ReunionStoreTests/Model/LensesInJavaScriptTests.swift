import Foundation
import NodeBrowsers
import ReunionCore
import Testing

@testable import ReunionStore

/// The same writes at random in Swift and in JavaScript (`Tests/World/lenses.mjs`), on replicas of three versions of a
/// model by one clock: cell for cell, and value for value, they stay the same.
@Suite(.enabled(if: NodeBrowsers.isThere, "node and .build/web are needed"))
struct LensesInJavaScriptTests {
  /// How many histories; `REUNION_HISTORIES=100000` is the whole test.
  private static let histories =
    ProcessInfo.processInfo.environment["REUNION_HISTORIES"].flatMap(Int.init) ?? 60

  @Test func `random writes of three versions show the same in both languages`() throws {
    let both = LensesInBoth(try InJavaScript("lenses.mjs"))
    for seed in 0..<UInt64(Self.histories) {
      if let difference = try both.difference(seed: seed) {
        Issue.record("seed \(seed): \(difference)")
        return
      }
    }
    print(
      "lenses in two languages: \(Self.histories) histories, \(both.made) made, \(both.back) back")
    #expect(both.made > Self.histories && both.back > Self.histories)
  }

  @Test func `a page that knows no lenses is seen (negative control)`() throws {
    let both = LensesInBoth(try InJavaScript("lenses.mjs"))
    both.isWithoutLenses = true
    #expect(try (0..<5).contains { try both.difference(seed: $0) != nil })
  }

  @Test(arguments: [SeededBug.wayBackForgotten, .olderDeviceIgnored])
  func `what one language alone gets wrong is seen (negative control)`(bug: SeededBug) throws {
    let both = LensesInBoth(try InJavaScript("lenses.mjs"))
    both.bugs = [bug]
    #expect(try (0..<10).contains { try both.difference(seed: $0) != nil })
  }
}

/// Four replicas in Swift, and four in JavaScript.
private final class LensesInBoth {
  private(set) var (made, back) = (0, 0)
  var isWithoutLenses = false
  var bugs: SeededBugs = []
  private let script: InJavaScript
  private let folders = (0..<4).map { _ in Folder() }
  private let clock = SharedClock()
  /// By replica.
  private let models = [
    Film1.schema.asModel, Film2.schema.asModel, Film2.schema.asModel,
    Film3.schema.asModel,
  ]
  private let films: [any Shown.Type] = [Film1.self, Film2.self, Film2.self, Film3.self]

  init(_ script: InJavaScript) { self.script = script }

  private struct Look: Codable, Equatable {
    let cells: [String]
    let shown: [String]

    /// What another one lacks.
    func without(_ other: Look?) -> String {
      let known = Set((other?.cells ?? []) + (other?.shown ?? []))
      return (cells + shown).filter { !known.contains($0) }.joined(separator: "\n")
    }
  }

  func difference(seed: UInt64) throws -> String? {
    var random = Seeded(state: seed &* 6151 &+ 3)
    let clock = clock
    // The clocks of half of them go ahead.
    let ahead: [UInt64] = [0, 20, 0, 20]
    let stores = try folders.indices.map { index in
      try folders[index].open(models[index]) {
        $0.wallMilliseconds = { clock.milliseconds + ahead[index] }
        $0.durability = .normal
        $0.seededBugs = bugs
      }
    }
    defer { for store in stores { try? store.close() } }
    // JavaScript's replicas are new: each history has a space and a time of its own.
    clock.milliseconds += 1000
    let space = SpaceID(high: 5, low: seed)
    try script.tell([
      "do": "begin", "sites": stores.map { Hexadecimal.text($0.site.bytes) },
      "models": models.map(\.toldInJavaScript), "isWithoutLenses": isWithoutLenses,
    ])
    var ids: [RecordID] = []
    for step in 0..<40 {
      clock.milliseconds += .random(in: 1...15, using: &random)
      let device = Int.random(in: 0..<4, using: &random)
      let other = Int.random(in: 0..<4, using: &random)
      let about: [String: Any] = ["device": device, "at": clock.milliseconds + ahead[device]]
      if device != other, Int.random(in: 0..<3, using: &random) == 0 {
        try stores[device].pull(from: stores[other], space)
        try script.tell(about.merging(["do": "meet", "other": other]) { $1 })
      } else {
        let list = try write(stores[device], device, &ids, space, &random)
        try script.tell(about.merging(["do": "write", "list": list]) { $1 })
      }
      let ours = try look(stores[device], films[device], ids, space)
      let theirs = try script.tell(
        ["do": "look", "device": device, "ids": ids.map { Hexadecimal.text($0.bytes) }], Look.self)
      guard ours == theirs else {
        return "step \(step), replica \(device): \(ours.without(theirs))\n"
          + "in JavaScript \(theirs?.without(ours) ?? "nothing")"
      }
    }
    return nil
  }

  /// Writes something, and gives what it was as JavaScript is told it.
  private func write(
    _ store: Store, _ device: Int, _ ids: inout [RecordID], _ space: SpaceID,
    _ random: inout Seeded
  ) throws -> [[Any]] {
    let entity = models[device].entities[0]
    let known = try ids.filter { try store.record(entity: 9, $0, in: space) != nil }
    guard let id = known.randomElement(using: &random), Int.random(in: 0..<5, using: &random) > 0
    else {
      let id = RecordID(high: 1, low: UInt64(ids.count) + 1)
      ids.append(id)
      try store.write(in: space) { try films[device].create(id, $0) }
      // What a lens fills is left to it by both, where it is not named.
      let filled = entity.lenses.filter(\.fills)
      let named = entity.fields.filter { field in !filled.contains { $0.makes(field.number) } }
      return [["create", id.description, Self.told(named.map { ($0, $0.initial) })]]
    }
    if Int.random(in: 0..<12, using: &random) == 0 {
      guard try store.record(entity: 9, id, in: space)?.isAlive == true else { return [] }
      try store.write(in: space) { try films[device].delete(id, $0) }
      return [["delete", id.description, []]]
    }
    var set: [(FieldDescription, Value)] = []
    for field in entity.fields.shuffled(using: &random).prefix(.random(in: 1...2, using: &random)) {
      set.append((field, Self.value(field, &random)))
    }
    try store.write(in: space) { transaction in
      for (field, value) in set {
        try transaction.set(FieldID(entity: 9, record: id, field: field.number), to: value)
      }
    }
    let state = try store.record(entity: 9, id, in: space)
    let newest = state?.cells.map(\.stamp).max()
    back += (state?.cells.count { $0.stamp == newest } ?? 0) > set.count ? 1 : 0
    return [["set", id.description, Self.told(set)]]
  }

  private static func value(_ field: FieldDescription, _ random: inout Seeded) -> Value {
    let number = Int.random(in: 0...4, using: &random)
    let texts = ["", "A", "A B", "A B C", "A, B", "x y, z", "é", "60", "7.5", "120.0"]
    switch field.kind {
    case .int:
      let whole = [0, 60, 61, 7200, .max, .min, -90].randomElement(using: &random) ?? 0
      return .int(Int64(number == 0 ? whole : number * 60))
    case .double:
      return .double(
        [Double(number) / 2, 1e300, -0.0, 0x1p60, 2.5].randomElement(using: &random) ?? 0)
    case .bool: return .bool(number > 2)
    case .text where field.name == "mood":
      return .text(["lo", "hi", "?"].randomElement(using: &random) ?? "")
    default:
      // Two fields may be nothing, and one of them may not be long.
      if ["note", "remark"].contains(field.name), number == 0 { return .null }
      let text = texts.randomElement(using: &random) ?? ""
      return .text(field.name == "note" ? String(text.prefix(3)) : text)
    }
  }

  /// Values with the names of their fields, in the order in which they are set.
  private static func told(_ values: [(FieldDescription, Value)]) -> [[Any]] {
    values.map { field, value in
      let other: Any? = value.double ?? value.bool ?? value.text
      return [field.name, value.int.map { ["int": "\($0)"] } ?? other ?? NSNull()]
    }
  }

  private func look(
    _ store: Store, _ film: any Shown.Type, _ ids: [RecordID], _ space: SpaceID
  ) throws -> Look {
    var (cells, shown): ([String], [String]) = ([], [])
    for id in ids {
      guard let state = try store.record(entity: 9, id, in: space) else { continue }
      cells += InJavaScript.lines(id, state)
      made += store.layout.table(9).computed(state).count
      guard let words = try film.words(id, store, space) else { continue }
      shown.append("\(id.description) \(words.joined(separator: " | "))")
    }
    return Look(cells: cells.sorted(), shown: shown)
  }
}
