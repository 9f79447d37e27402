import Foundation
import ReunionTesting
import Testing

@testable import ScreenTimeCore

/// The page computes what is left with code of its own (`Apps/ScreenTime/Page/ledger.js`). Both are held to
/// one file of cases: this test to what `ScreenTimeCore` says, `Apps/ScreenTime/Page/tests/screen-time.test.mjs` the page.
///
/// `REUNION_RECORD=yes` writes the file anew.
@Suite struct PageVectorTests {
  struct Case: Codable, Equatable {
    struct Use: Codable, Equatable {
      var device, program: String
      var number, offset: Int
      var start, milliseconds: Int64
      var arrived: Int64?
    }
    struct Grant: Codable, Equatable {
      var id, request, target: String
      var minutes: Int
      var at, asked: Int64
    }
    struct Budget: Codable, Equatable {
      var category: String?
      var minutes: [Int]
    }
    struct Rest: Codable, Equatable {
      var id: String
      var from, to, weekdays: Int
    }
    var program: String
    var wall: Int64
    var offset: Int
    var uses: [Use]
    var grants: [Grant]
    var budgets: [Budget]
    var rests: [Rest]
    var categories: [String: String]
    /// What is left, and why.
    var left: Int64?
    var reason: String?
    /// The milliseconds of the day.
    var used: Int64
  }

  static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Vectors/screen-time.json")

  static func text(_ reason: Verdict.Reason?) -> String? {
    switch reason {
    case .day: "day"
    case .category(let id): "category:\(id)"
    case .rest(let id): "rest:\(id)"
    case nil: nil
    }
  }

  static func target(_ text: String) -> Target {
    text == "day"
      ? .day
      : text.hasPrefix("category:")
        ? .category(String(text.dropFirst(9))) : .rest(String(text.dropFirst(5)))
  }

  /// The case, with what `ScreenTimeCore` says of it.
  static func answered(_ asked: Case) -> Case {
    var ledger = Ledger()
    for (index, use) in asked.uses.enumerated() {
      ledger.take(
        Placed(
          Use(
            number: use.number, program: use.program, start: use.start, offset: use.offset,
            length: use.milliseconds),
          of: use.device, record: "\(index)", arrived: use.arrived))
    }
    var grants = Grants()
    for grant in asked.grants {
      grants.take(
        Grant(
          id: grant.id, request: grant.request, target: target(grant.target),
          minutes: grant.minutes, at: grant.at, asked: grant.asked))
    }
    let limits = Limits(
      budgets: asked.budgets.map { .init(category: $0.category, minutes: $0.minutes) },
      rests: asked.rests.map {
        .init(id: $0.id, from: $0.from, to: $0.to, weekdays: $0.weekdays)
      }, categories: asked.categories)
    let verdict = Verdict(
      for: asked.program, wall: asked.wall, offset: asked.offset, limits: limits, ledger: ledger,
      grants: grants)
    var answered = asked
    (answered.left, answered.reason) = (verdict.left, text(verdict.reason))
    answered.used = ledger.time(on: Day(wall: asked.wall, offset: asked.offset))
    return answered
  }

  /// A case of a child's day, from a seed.
  static func made(_ seed: UInt64) -> Case {
    var random = SeededRandom(seed: seed)
    func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    let offsets = [0, 3600, 7200, -18_000, 20_700]
    let offset = offsets[pick(0...4)]
    let wall = 1_780_000_000_000 + Int64(pick(0...30 * 86_400_000))
    let programs = ["game", "editor", "browser", ""]
    let targets = ["day", "category:a", "category:b", "rest:r0", "rest:r1"]
    var asked = Case(
      program: programs[pick(0...3)], wall: wall, offset: offset, uses: [], grants: [],
      budgets: [], rests: [], categories: ["game": "a", "browser": "b"], left: nil, reason: nil,
      used: 0)
    for number in 0..<pick(0...12) {
      let start = wall - Int64(pick(-3_600_000...100_000_000))
      asked.uses.append(
        .init(
          device: "d\(pick(0...1))", program: programs[pick(0...3)],
          // Numbers may come again after a backup.
          number: pick(0...5) == 0 ? number / 2 : number,
          offset: pick(0...3) == 0 ? offsets[pick(0...4)] : offset, start: start,
          milliseconds: Int64(pick(0...5_400_000)),
          arrived: pick(0...3) == 0 ? start + Int64(pick(-90_000_000...60_000)) : nil))
    }
    for number in 0..<pick(0...5) {
      let at = wall - Int64(pick(0...90_000_000))
      asked.grants.append(
        .init(
          id: "g\(number)", request: pick(0...1) == 0 ? "" : "q\(pick(0...1))",
          target: targets[pick(0...4)], minutes: pick(-5...60), at: at,
          asked: at - Int64(pick(0...600_000))))
    }
    for category in [nil, "a", "b"] where pick(0...2) > 0 {
      asked.budgets.append(
        .init(category: category, minutes: (0..<7).map { _ in pick(-10...240) }))
    }
    for number in 0..<pick(0...2) {
      asked.rests.append(
        .init(
          id: "r\(number)", from: pick(0...1439), to: pick(0...1439), weekdays: pick(0...127)))
    }
    return asked
  }

  @Test func `the cases that the page is held to are what the agent computes`() throws {
    if ProcessInfo.processInfo.environment["REUNION_RECORD"] == "yes" {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let lines = try (0..<400).map { seed in
        String(decoding: try encoder.encode(Self.answered(Self.made(UInt64(seed)))), as: UTF8.self)
      }
      try Data("[\n\(lines.joined(separator: ",\n"))\n]\n".utf8).write(to: Self.file)
    }
    let cases = try JSONDecoder().decode([Case].self, from: Data(contentsOf: Self.file))
    #expect(cases.count == 400)
    for each in cases { #expect(Self.answered(each) == each) }
    // They are of all kinds.
    let reasons = Set(cases.map { $0.reason?.split(separator: ":").first.map(String.init) ?? "" })
    #expect(reasons == ["", "day", "category", "rest"])
  }
}
