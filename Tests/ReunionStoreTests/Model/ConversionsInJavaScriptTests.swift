import Foundation
import NodeBrowsers
import ReunionCore
import Testing

@testable import ReunionStore

/// The same values through each conversion in Swift and in JavaScript (`Web/writing/conversions.js`), there and back: what they
/// make is the same to the byte, and they refuse the same.
@Suite(.enabled(if: NodeBrowsers.isThere, "node and .build/web are needed"))
struct ConversionsInJavaScriptTests {
  typealias Case = ConversionTests.Case

  static let cases =
    ConversionTests.cases.filter { FieldLens(text: $0.lens.text) != nil } + more

  /// What may be nothing, and what is beyond what JavaScript's numbers hold.
  private static let more: [Case] = {
    let most: @Sendable (inout Seeded) -> [Value] = { random in
      [.int(.max - Int64.random(in: 0...2, using: &random)), .null].randomElement(using: &random)
        .map { [$0] } ?? []
    }
    let words: @Sendable (inout Seeded) -> [Value] = { random in
      ["most", "é\n\"", "?", ""].randomElement(using: &random).map { [.text($0)] } ?? []
    }
    return [
      Case(
        "times 2^55", [.int], [.int], .times(1 << 55 + 1),
        source: { [.int(.random(in: -300...300, using: &$0))] }, target: most),
      Case("over 2^62 + 1", [.int], [.int], .over(1 << 62 + 1), source: most, target: most),
      Case(
        "cases of large ints", [.int], [.text], .cases([Int.max: "most", Int.max - 1: "é\n\""]),
        source: most, target: words),
      Case(
        "dates times 0.3", [.date], [.date], .times(0.3),
        source: { [.date(milliseconds: .random(in: .min ... .max, using: &$0))] },
        target: { [.date(milliseconds: .random(in: -5...5, using: &$0))] }),
    ]
  }()

  @Test func `values become the same in both languages, there and back`() throws {
    let both = try InJavaScript("lenses.mjs")
    for each in Self.cases {
      let found = try Self.difference(each, both, by: each.lens, count: ConversionTests.count)
      #expect(found.fault == nil, "\(each.name)")
      #expect(found.made > 0 && found.back > 0, "\(each.name): \(found)")
    }
    print(
      "conversions in two languages: \(Self.cases.count), each of \(ConversionTests.count) values")
  }

  @Test(arguments: cases)
  func `a page that has another conversion is seen (negative control)`(_ each: Case) throws {
    let other = FieldLens(
      sources: each.lens.sources, targets: each.lens.targets,
      conversion: Conversion(
        "custom 00", forward: { _, _, _ in nil }, back: nil, fault: { _, _ in nil }),
      fills: false)
    let both = try InJavaScript("lenses.mjs")
    #expect(try Self.difference(each, both, by: other, count: 1000).fault != nil)
  }

  @Test func `a page whose factor is nearly the same is seen (negative control)`() throws {
    let each = try #require(Self.cases.first { $0.name == "times 0.1" })
    let near = FieldLens(
      sources: each.lens.sources, targets: each.lens.targets,
      conversion: .times((0.1 as Double).nextUp), fills: false)
    let both = try InJavaScript("lenses.mjs")
    #expect(try Self.difference(each, both, by: near, count: 1000).fault != nil)
  }

  /// What differs, and how many values there were that are made, there and back.
  private static func difference(
    _ each: Case, _ both: InJavaScript, by told: FieldLens, count: Int
  ) throws -> (fault: String?, made: Int, back: Int) {
    var random = Seeded(state: 46)
    var (made, back, left) = (0, 0, count)
    while left > 0 {
      let sources = (0..<min(left, 2000)).map { _ in each.source(&random) }
      // What was made comes back, and what anybody writes.
      let targets = sources.map { values in
        Bool.random(using: &random)
          ? each.lens.forward(values) ?? each.target(&random) : each.target(&random)
      }
      left -= sources.count
      let theirs = try both.tell(
        [
          "do": "convert", "lens": told.toldInJavaScript,
          "there": sources.map { $0.map(\.listed) }, "back": targets.map { $0.map(\.listed) },
        ], [String].self)
      let ours = sources.map { each.lens.forward($0) } + targets.map { each.lens.back($0) }
      made += ours[..<sources.count].count { $0 != nil }
      back += ours[sources.count...].count { $0 != nil }
      for (index, value) in ours.enumerated() {
        let word = value.map { $0.map(\.listed).joined(separator: " ") } ?? "-"
        guard theirs?[index] != word else { continue }
        let (given, way) =
          index < sources.count
          ? (sources[index], "becomes") : (targets[index - sources.count], "comes back as")
        return (
          "\(given.map(\.listed)) \(way) \(word), in JavaScript \(theirs?[index] ?? "nothing")",
          made,
          back
        )
      }
    }
    return (nil, made, back)
  }
}

extension FieldLens {
  /// The lens as a module of a model has it, and `/model.json`.
  var toldInJavaScript: [String: Any] {
    func end(_ end: LensEnd) -> [String: Any] {
      var told: [String: Any] = [
        "number": end.field, "kind": end.kind.rawValue, "isOptional": end.isOptional,
      ]
      told["initial"] = end.initial.flatMap { $0.toldInJavaScript }
      return told
    }
    let by: [Any] =
      switch words {
      case .plain(let word): [word]
      case .times(let factor): ["times", "\(factor)"]
      case .scaled(let factor): ["scale", factor]
      case .over(let divisor): ["over", "\(divisor)"]
      case .separator(let text): ["separator", text]
      case .cases(let cases):
        [
          "cases",
          cases.map { [$0.toldInJavaScript ?? NSNull(), $1.toldInJavaScript ?? NSNull()] },
        ]
      }
    return [
      "sources": sources.map(end), "targets": targets.map(end), "by": by, "fills": fills,
    ]
  }
}

extension Value {
  /// As JSON has it: of a whole number the digits.
  fileprivate var toldInJavaScript: Any? {
    int.map { "\($0)" } ?? text ?? bool ?? double
  }
}
