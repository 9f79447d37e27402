import Foundation
import NodeBrowsers
import ReunionCore
import Testing

@testable import ReunionStore

/// The same deletes at random in Swift and in JavaScript (`Tests/World/delete-rules.mjs`), by the rules of one
/// model: the same records stay, they name the same, and the same deletes are refused.
@Suite(.enabled(if: NodeBrowsers.isThere, "node and .build/web are needed"))
struct DeleteRulesInJavaScriptTests {
  @Test func `random deletes leave the same records in both languages`() throws {
    let both = RulesInBoth(try InJavaScript("delete-rules.mjs"))
    for seed in 0..<40 as Range<UInt64> {
      if let difference = try both.difference(seed: seed) {
        Issue.record("seed \(seed): \(difference)")
        return
      }
    }
    print("delete rules in two languages: \(both.deleted) deletes, \(both.refused) refused")
    #expect(both.deleted > 100 && both.refused > 20)
  }

  @Test func `a page that knows no rules is seen (negative control)`() throws {
    let both = RulesInBoth(try InJavaScript("delete-rules.mjs"), isWithoutRules: true)
    let found = try (0..<5).contains { try both.difference(seed: $0) != nil }
    #expect(found)
  }
}

private struct Crate: Entity {
  let id: RecordID
  var inside: Reference<Crate>?
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Crate>(
    1, "crate", [.field(2, "inside", \.inside, onDelete: .delete)])
}

private struct Disc: Entity {
  let id: RecordID
  var crate: Reference<Crate>?
  var sequel: Reference<Disc>?
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Disc>(
    2, "disc",
    [
      .field(2, "crate", \.crate, onDelete: .delete),
      .field(3, "sequel", \.sequel, onDelete: .clear),
    ])
}

private struct Loan: Entity {
  let id: RecordID
  var disc: RecordID?
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Loan>(
    3, "loan", [.field(1, "disc", \.disc, to: Disc.self, onDelete: .refuse)])
}

/// Two replicas in Swift, and two in JavaScript.
private final class RulesInBoth {
  private(set) var deleted = 0
  private(set) var refused = 0
  private let script: InJavaScript
  private let isWithoutRules: Bool
  private let folders = [Folder(), Folder()]
  /// It goes on with each step, since writes of one millisecond are ordered by their sites, which each run
  /// draws anew.
  private let clock = SharedClock()
  private static let model = Model(Crate.schema, Disc.schema, Loan.schema)

  init(_ script: InJavaScript, isWithoutRules: Bool = false) {
    self.script = script
    self.isWithoutRules = isWithoutRules
  }

  /// One thing that is done to a record.
  private struct Act {
    let name: String
    let key: RecordKey
    var values: [(field: FieldDescription, names: RecordID?)] = []
  }

  func difference(seed: UInt64) throws -> String? {
    var random = Seeded(state: seed &* 977 &+ 5)
    let clock = clock
    let stores = try folders.map { folder in
      try folder.open(Self.model) {
        $0.wallMilliseconds = { clock.milliseconds }
        $0.durability = .normal
      }
    }
    defer { for store in stores { try? store.close() } }
    let space = SpaceID(high: 4, low: seed)
    try script.tell([
      "do": "begin", "sites": stores.map { Hexadecimal.text($0.site.bytes) },
      "isWithoutRules": isWithoutRules, "model": Self.described,
    ])
    var ids: [UInt32: [RecordID]] = [:]
    for step in 0..<40 {
      clock.milliseconds += 1
      let device = step % 2
      if step % 5 == 4 {
        try stores[device].pull(from: stores[1 - device], space)
        try script.tell([
          "do": "meet", "device": device, "other": 1 - device, "at": clock.milliseconds,
        ])
      } else {
        let acts = try Self.acts(&ids, step, &random, stores[device], space)
        var ours = ""
        do {
          try stores[device].write(in: space) { transaction in
            for act in acts { try Self.perform(act, transaction) }
          }
        } catch let error as StoreError where error.code == .referenced {
          ours = error.message
        }
        if acts.contains(where: { $0.name == "delete" }) {
          if ours.isEmpty { deleted += 1 } else { refused += 1 }
        }
        let theirs = try script.tell([
          "do": "write", "device": device, "at": clock.milliseconds, "list": acts.map(Self.told),
        ])
        // Which of several refusals is told is nobody's promise.
        guard ours.isEmpty == theirs?.isEmpty else {
          return "step \(step): \(acts): \(ours)\nin JavaScript \(theirs ?? "")"
        }
      }
      let ours = try Self.look(stores[device], ids, space)
      let theirs = try script.tell(["do": "look", "device": device], [String].self)
      guard ours == theirs else {
        return "step \(step): \(ours)\nin JavaScript \(theirs ?? [])"
      }
    }
    return nil
  }

  private static var described: [String: Any] {
    [
      "entities": model.entities.map { entity in
        [
          "number": entity.number, "name": entity.name,
          "fields": entity.fields.map { field in
            [
              "number": field.number, "name": field.name, "kind": field.kind.rawValue,
              "target": field.rule?.target ?? 0, "onDelete": field.rule?.onDelete.rawValue ?? "",
            ] as [String: Any]
          },
        ] as [String: Any]
      }
    ]
  }

  private static func told(_ act: Act) -> [Any] {
    let entity = model.entities.first { $0.number == act.key.entity }?.name ?? ""
    let values = act.values.map {
      ($0.field.name, $0.names.map { $0.description as Any } ?? NSNull())
    }
    return [
      act.name, entity, act.key.id.description, Dictionary(uniqueKeysWithValues: values),
    ]
  }

  /// A record that is made, one that is changed, or one or two that are deleted.
  private static func acts(
    _ ids: inout [UInt32: [RecordID]], _ step: Int, _ random: inout Seeded, _ store: Store,
    _ space: SpaceID
  ) throws -> [Act] {
    let entity = model.entities[Int.random(in: 0..<3, using: &random)]
    func values(_ ids: [UInt32: [RecordID]]) -> [(field: FieldDescription, names: RecordID?)] {
      entity.fields.map { field in
        let known = ids[field.rule?.target ?? 0] ?? []
        let isNone = Int.random(in: 0..<5, using: &random) == 0
        return (field, isNone ? nil : known.randomElement(using: &random))
      }
    }
    let living = try (ids[entity.number] ?? []).filter {
      try store.record(entity: entity.number, $0, in: space)?.isAlive == true
    }
    let choice = Int.random(in: 0..<6, using: &random)
    if choice < 3 || living.isEmpty {
      let id = RecordID(high: 1, low: UInt64(step) + 1)
      ids[entity.number, default: []].append(id)
      return [
        Act(name: "create", key: RecordKey(entity: entity.number, id: id), values: values(ids))
      ]
    }
    func key() -> RecordKey {
      RecordKey(entity: entity.number, id: living.randomElement(using: &random) ?? living[0])
    }
    if choice == 3 { return [Act(name: "set", key: key(), values: values(ids))] }
    let first = Act(name: "delete", key: key())
    guard choice == 5 else { return [first] }
    // What names it no more before it goes, and what goes beside it.
    return [
      Act(name: "set", key: key(), values: values(ids)), first, Act(name: "delete", key: key()),
    ]
  }

  private static func perform(_ act: Act, _ transaction: WriteTransaction) throws {
    guard act.name != "delete" else {
      switch act.key.entity {
      case 1: return try transaction.delete(Crate.self, act.key.id)
      case 2: return try transaction.delete(Disc.self, act.key.id)
      default: return try transaction.delete(Loan.self, act.key.id)
      }
    }
    for (field, names) in act.values {
      try transaction.set(
        field: field.number, of: act.key.id, entity: act.key.entity,
        to: names.map { .reference($0) } ?? .null)
    }
  }

  private static func look(
    _ store: Store, _ ids: [UInt32: [RecordID]], _ space: SpaceID
  ) throws -> [String] {
    try model.entities.flatMap { entity in
      try (ids[entity.number] ?? []).compactMap { id -> String? in
        guard let state = try store.record(entity: entity.number, id, in: space), state.isAlive
        else { return nil }
        let names = entity.fields.map {
          state.register($0.number)?.value.reference?.description ?? "-"
        }
        return "\(entity.name) \(id.description) \(names.joined(separator: " "))"
      }
    }.sorted()
  }
}
