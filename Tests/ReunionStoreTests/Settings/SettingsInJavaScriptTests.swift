import Foundation
import NodeBrowsers
import ReunionCore
import Testing

@testable import ReunionStore

/// The same actions at random on settings in Swift and in JavaScript (`Tests/World/settings.mjs`), on
/// replicas of the same sites by the same clock: cell for cell, and value for value, they stay the same
/// (docs/protocol.md 4.1, 4.2, 4.3).
@Suite(.enabled(if: NodeBrowsers.isThere, "node and .build/web are needed"))
struct SettingsInJavaScriptTests {
  /// How many histories; `REUNION_HISTORIES=100000` is the whole test.
  private static let histories =
    ProcessInfo.processInfo.environment["REUNION_HISTORIES"].flatMap(Int.init) ?? 60

  @Test func `random actions write the same cells and read the same values in both languages`()
    throws
  {
    let script = try InJavaScript("settings.mjs")
    let both = Both(script)
    for seed in 0..<Self.histories {
      if let difference = try both.difference(seed: UInt64(seed)) {
        Issue.record("seed \(seed): \(difference)")
        return
      }
    }
    print("settings in two languages: \(Self.histories) histories, \(both.counts)")
    #expect(both.counts.written > Self.histories && both.counts.refused > 0)
  }

  @Test func `an action that one language alone performs is seen (negative control)`() throws {
    let both = Both(try InJavaScript("settings.mjs"))
    both.leavesOut = true
    let found = try (0..<10).contains { try both.difference(seed: $0) != nil }
    #expect(found)
  }
}

/// A setting, and what a whole number stands for in it; `settings.mjs` has the same.
private struct Probe {
  let name: String
  let kind: String
  let merge: String
  let initial: Int
  let acts: [String: @Sendable (SettingsTransaction, Int) throws -> Void]
  let read: @Sendable (RoamingSettings) throws -> String

  static func one<Value: FieldValue>(
    _ name: String, _ kind: String, _ merge: String, _ rule: MergeRule<Value>, initial: Int = 0,
    _ make: @escaping @Sendable (Int) -> Value, _ text: @escaping @Sendable (Value) -> String,
    more: (SettingKey<Value>) -> [String: @Sendable (SettingsTransaction, Int) throws -> Void] = {
      _ in [:]
    }
  ) -> Probe {
    let key = SettingKey(name, default: make(initial), merge: rule)
    var acts = more(key)
    acts["set"] = { try $0.set(key, to: make($1)) }
    acts["clear"] = { transaction, _ in try transaction.remove(key) }
    return Probe(
      name: name, kind: kind, merge: merge, initial: initial, acts: acts,
      read: { try text($0.value(of: key)) })
  }

  static func int(_ name: String, _ merge: String, _ rule: MergeRule<Int>) -> Probe {
    one(name, "int", merge, rule, { $0 }, { "\($0)" }) { key in
      ["add": { try $0.add($1, to: key) }]
    }
  }

  static func bool(_ merge: String, _ rule: MergeRule<Bool>, initial: Int) -> Probe {
    one(merge, "bool", merge, rule, initial: initial, { $0 > 4 }, { "\($0)" })
  }

  static func double(_ merge: String, _ rule: MergeRule<Double>) -> Probe {
    one("double \(merge)", "double", merge, rule, { Double($0) / 2 }, { "\(Int($0 * 2))" })
  }

  static func date(_ merge: String, _ rule: MergeRule<Date>) -> Probe {
    one(
      "date \(merge)", "date", merge, rule, { Date(timeIntervalSince1970: Double($0)) },
      { "\(Int($0.timeIntervalSince1970))" })
  }

  static func text(_ name: String, _ merge: String, _ rule: MergeRule<String>) -> Probe {
    one(
      name, "text", merge, rule,
      { $0 == 9 ? String(repeating: "é", count: 300_000) : "w\($0)" },
      { "\($0.prefix(8)) \($0.utf16.count)" })
  }

  static let all: [Probe] = [
    text("latest", "latest", .latest), text("first", "first", .first),
    int("counter", "counter", .counter), int("max", "max", .max), int("min", "min", .min),
    double("max", .max), double("min", .min), double("latest", .latest),
    date("max", .max), date("min", .min), bool("or", .or, initial: 0),
    bool("and", .and, initial: 9),
    one(
      "union", "int", "union", .union,
      { raw in Set((0..<4).filter { raw & (1 << $0) != 0 }) },
      { $0.sorted().map(String.init).joined(separator: " ") },
      more: { (key: SettingKey<Set<Int>>) in
        ["insert": { try $0.insert($1, into: key) }, "remove": { try $0.remove($1, from: key) }]
      }),
    // One name that two apps declare differently.
    int("clash", "counter", .counter), int("clash", "latest", .latest),
    text("clash", "latest", .latest),
  ]
}

/// Three replicas in Swift, and three in JavaScript.
private final class Both {
  /// How many actions were written, and refused.
  struct Counts {
    var written = 0
    var refused = 0
  }

  private(set) var counts = Counts()
  /// Whether JavaScript is not told of clearing, for a control.
  var leavesOut = false
  private let script: InJavaScript
  private let folders = (0..<3).map { _ in Folder() }
  private let clock = SharedClock(1_000_000)

  init(_ script: InJavaScript) { self.script = script }

  /// What is the same in both: cells, values, names and room.
  struct Look: Codable, Equatable {
    struct Usage: Codable, Equatable {
      let keys: Int
      let bytes: Int
    }
    let cells: [String]
    let values: [String]
    let names: [String]
    let usage: Usage
  }

  /// Performs a history in both; the first difference, or nil.
  func difference(seed: UInt64) throws -> String? {
    var random = Seeded(state: seed &* 7919)
    let clock = clock
    let stores = try folders.map { folder in
      try folder.open(Model(entities: [])) {
        $0.wallMilliseconds = { clock.milliseconds }
        $0.durability = .normal
      }
    }
    defer { for store in stores { try? store.close() } }
    // JavaScript's replicas are new: each history has a space and a time of its own.
    clock.milliseconds += 1000
    let account = SpaceID(high: 2, low: seed)
    let settings = try stores.map { try RoamingSettings($0, account: account) }
    let probes = Probe.all.map {
      ["name": $0.name, "kind": $0.kind, "merge": $0.merge, "initial": $0.initial] as [String: Any]
    }
    let sites = stores.map { Hexadecimal.text($0.site.bytes) }
    try script.tell(["do": "begin", "sites": sites, "probes": probes])
    for step in 0..<24 {
      clock.milliseconds += .random(in: 0...2, using: &random)
      let device = Int.random(in: 0..<3, using: &random)
      let other = Int.random(in: 0..<3, using: &random)
      let about: [String: Any] = ["device": device, "at": clock.milliseconds]
      if device != other, Int.random(in: 0..<3, using: &random) == 0 {
        try stores[device].pull(from: stores[other], account)
        try script.tell(about.merging(["do": "meet", "other": other]) { $1 })
      } else {
        let list = Self.actions(&random)
        let ours = try Self.write(list, settings[device])
        let told = list.filter { !leavesOut || $0.act != "clear" }
        let theirs = try script.tell(
          about.merging([
            "do": "write",
            "list": told.map {
              ["act": $0.act, "probe": $0.probe, "raw": $0.raw] as [String: Any]
            },
          ]) { $1 })
        if ours == "written" { counts.written += 1 } else { counts.refused += 1 }
        guard ours == theirs else { return "step \(step): \(list): \(ours), \(theirs ?? "")" }
      }
      let ours = try Self.look(settings[device], account)
      let theirs = try script.tell(["do": "look", "device": device], Look.self)
      guard let theirs, ours == theirs else {
        return "step \(step): \(ours)\nin JavaScript \(theirs.map { "\($0)" } ?? "nothing")"
      }
    }
    return nil
  }

  struct Action {
    let act: String
    let probe: Int
    let raw: Int
  }

  private static func actions(_ random: inout Seeded) -> [Action] {
    (0..<Int.random(in: 1...3, using: &random)).map { _ in
      let probe = Int.random(in: 0..<Probe.all.count, using: &random)
      let acts = Probe.all[probe].acts.keys.sorted()
      let act = acts[Int.random(in: 0..<acts.count, using: &random)]
      let most = ["insert", "remove"].contains(act) ? 3 : 9
      return Action(act: act, probe: probe, raw: .random(in: 0...most, using: &random))
    }
  }

  private static func write(_ list: [Action], _ settings: RoamingSettings) throws -> String {
    do {
      try settings.write { transaction in
        for each in list { try Probe.all[each.probe].acts[each.act]?(transaction, each.raw) }
      }
      return "written"
    } catch let error as StoreError where error.code == .wrongType {
      return "wrongType"
    } catch let error as StoreError where error.code == .overQuota {
      return "overQuota"
    }
  }

  private static func look(_ settings: RoamingSettings, _ account: SpaceID) throws -> Look {
    let cells = try Set(Probe.all.map(\.name)).flatMap { name in
      let key = SettingSlot.record(of: name)
      let state = try settings.store.record(entity: key.entity, key.id, in: account)
      return InJavaScript.lines(key.id, state)
    }
    let values = try Probe.all.map { probe in
      do {
        return try probe.read(settings)
      } catch let error as StoreError where error.code == .wrongType {
        return "wrongType"
      }
    }
    let usage = settings.usage
    return Look(
      cells: cells.sorted(), values: values, names: settings.keys.sorted(),
      usage: .init(keys: usage.keys, bytes: usage.bytes))
  }
}
