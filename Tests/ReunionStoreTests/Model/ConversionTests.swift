import Foundation
import ReunionCore
import Testing

@testable import ReunionStore

@Suite struct ConversionTests {
  /// A lens between fields of some kinds, and random values of both.
  struct Case: CustomTestStringConvertible, Sendable {
    let name: String
    let lens: FieldLens
    /// Whether every value that goes there comes back as it was.
    var isExact = true
    let source: @Sendable (inout Seeded) -> [Value]
    let target: @Sendable (inout Seeded) -> [Value]

    var testDescription: String { name }

    init(
      _ name: String, _ from: [ValueKind], _ to: [ValueKind], _ conversion: Conversion,
      isExact: Bool = true, source: @escaping @Sendable (inout Seeded) -> [Value],
      target: @escaping @Sendable (inout Seeded) -> [Value]
    ) {
      self.name = name
      self.isExact = isExact
      self.source = source
      self.target = target
      func ends(_ kinds: [ValueKind], _ first: UInt32) -> [LensEnd] {
        kinds.enumerated().map {
          LensEnd(field: first + UInt32($0.offset), kind: $0.element, isOptional: false)
        }
      }
      let (sources, targets) = (ends(from, 1), ends(to, 11))
      #expect(conversion.fault(sources, targets) == nil)
      lens = FieldLens(sources: sources, targets: targets, conversion: conversion, fills: false)
    }
  }

  private static func int(_ random: inout Seeded) -> Int64 {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: Int64.random(in: .min ... .max, using: &random)
    case 1: [.min, .max, 0, -1, 1][Int.random(in: 0..<5, using: &random)]
    default: Int64.random(in: -10_000...10_000, using: &random)
    }
  }

  private static func double(_ random: inout Seeded) -> Double {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: Double(bitPattern: UInt64.random(in: 0 ... .max, using: &random))
    case 1: [0, -0.0, .infinity, .nan, 0x1p53 + 2, 0.1][Int.random(in: 0..<6, using: &random)]
    case 2: .random(in: 0x1p52...0x1p55, using: &random).rounded()
    default: (Double.random(in: -1000...1000, using: &random) * 100).rounded() / 100
    }
  }

  private static func text(_ random: inout Seeded) -> String {
    let parts = [
      "", " ", "A", "B", "-", "é", "e\u{301}", "\0", "12", "0.5", ", ", "true", "\u{feff}",
    ]
    return (0..<Int.random(in: 0...4, using: &random))
      .map { _ in parts[Int.random(in: 0..<parts.count, using: &random)] }.joined()
  }

  /// A text that may be a number.
  private static func number(_ random: inout Seeded) -> String {
    let parts = [
      "", "+", "-", "0", "00", "7", "12", "9223372036854775807", "1e", "e-400", ".", "5",
    ]
    return (0..<Int.random(in: 1...4, using: &random))
      .map { _ in parts[Int.random(in: 0..<parts.count, using: &random)] }.joined()
  }

  static let cases: [Case] = {
    let ints: @Sendable (inout Seeded) -> [Value] = { [.int(int(&$0))] }
    let doubles: @Sendable (inout Seeded) -> [Value] = { [.double(double(&$0))] }
    let texts: @Sendable (inout Seeded) -> [Value] = { [.text(text(&$0))] }
    let bools: @Sendable (inout Seeded) -> [Value] = { [.bool(Bool.random(using: &$0))] }
    let dates: @Sendable (inout Seeded) -> [Value] = { [.date(milliseconds: int(&$0))] }
    let digits: @Sendable (inout Seeded) -> [Value] = { random in
      Bool.random(using: &random)
        ? [.text(Bool.random(using: &random) ? text(&random) : number(&random))]
        : [.text(Bool.random(using: &random) ? "\(int(&random))" : "\(double(&random))")]
    }
    let truths: @Sendable (inout Seeded) -> [Value] = { random in
      random.next() % 3 == 0 ? [.text("\(Bool.random(using: &random))")] : digits(&random)
    }
    let words: @Sendable (inout Seeded) -> [Value] = { [.text($0.next() % 3 == 0 ? "no" : "yes")] }
    let name = Conversion.custom(
      "name",
      forward: { (first: String, last: String) -> String? in last + "\n" + first },
      back: { (name: String) -> (String, String)? in
        guard let end = name.firstIndex(of: "\n") else { return nil }
        return (String(name[name.index(after: end)...]), String(name[..<end]))
      })
    return [
      Case("same", [.text], [.text], .same, source: texts, target: texts),
      Case("times 60", [.int], [.int], .times(60), source: ints, target: ints),
      Case("times -1", [.int], [.int], .times(-1), source: ints, target: ints),
      Case("times 1000 to dates", [.int], [.date], .times(1000), source: ints, target: dates),
      Case(
        "times 0.1", [.double], [.double], .times(0.1), isExact: false, source: doubles,
        target: doubles),
      Case(
        "times 0.001 of ints", [.int], [.double], .times(0.001), isExact: false, source: ints,
        target: doubles),
      Case(
        "times 60 to ints", [.double], [.int], .times(60), isExact: false, source: doubles,
        target: ints),
      Case("over 60", [.int], [.int], .over(60), isExact: false, source: ints, target: ints),
      Case(
        "over 1000 of dates", [.date], [.int], .over(1000), isExact: false, source: dates,
        target: ints),
      Case("ints as text", [.int], [.text], .text, source: ints, target: digits),
      // A NaN says nothing but that in its digits.
      Case(
        "doubles as text", [.double], [.text], .text, isExact: false, source: doubles,
        target: digits),
      Case("bools as text", [.bool], [.text], .text, source: bools, target: truths),
      Case("texts as ints", [.text], [.int], .number, isExact: false, source: digits, target: ints),
      Case(
        "texts as doubles", [.text], [.double], .number, isExact: false, source: digits,
        target: doubles),
      Case(
        "bools as cases", [.bool], [.text], .cases([true: "yes", false: "no"]), source: bools,
        target: words),
      Case(
        "cases of texts", [.text], [.int], .cases(["yes": 1, "no": 2]), source: words,
        target: ints),
      Case(
        "cut", [.text], [.text, .text, .text], .separator(" "), isExact: false, source: texts,
        target: { texts(&$0) + texts(&$0) + texts(&$0) }),
      Case(
        "joined", [.text, .text], [.text], .separator(", "), isExact: false,
        source: { texts(&$0) + texts(&$0) }, target: texts),
      Case(
        "a function of the app", [.text, .text], [.text], name, isExact: false,
        source: { texts(&$0) + texts(&$0) }, target: { [.text(text(&$0) + "\n" + text(&$0))] }),
    ]
  }()

  /// All with `REUNION_FAULTS=full`, a slice of them otherwise.
  static let count =
    ProcessInfo.processInfo.environment["REUNION_FAULTS"] == "full" ? 100_000 : 10_000

  @Test(arguments: cases)
  func `values go there and back, or the old field is kept`(_ each: Case) {
    var random = Seeded(state: 14)
    var (there, back, exact) = (0, 0, 0)
    for _ in 0..<Self.count {
      let values = each.source(&random)
      if let made = each.lens.forward(values) {
        there += 1
        guard zip(each.lens.targets, made).allSatisfy({ $0.takes($1) }) else {
          Issue.record("\(values) became \(made)")
          return
        }
        if each.lens.back(made) == values { exact += 1 }
      }
      let written = each.target(&random)
      if let kept = each.lens.back(written) {
        back += 1
        guard each.lens.forward(kept) == written else {
          Issue.record("\(written) came back as \(kept)")
          return
        }
      }
    }
    print(
      "lens \(each.name), \(Self.count) values: \(there) there, \(exact) of them back equal; \(back) written ones back"
    )
    #expect(min(there, back, exact) > Self.count / 200)
    #expect(!each.isExact || exact == there)
  }

  @Test(arguments: cases)
  func `a lens can be told by its text, if no function of an app is in it`(_ each: Case) {
    let told = FieldLens(text: each.lens.text)
    #expect((told == nil) == (each.name == "a function of the app"))
    #expect(told?.text ?? each.lens.text == each.lens.text)
    var random = Seeded(state: 3)
    for _ in 0..<200 {
      let values = each.source(&random)
      if let told { #expect(told.forward(values) == each.lens.forward(values)) }
    }
    // Whatever else stands there is no lens, and traps nothing.
    for index in each.lens.text.indices {
      for letter in ["", " ", "9", ":", "x"] {
        let text = each.lens.text[..<index] + letter + each.lens.text[index...].dropFirst()
        if let lens = FieldLens(text: String(text)) { #expect(lens.text == text) }
      }
    }
  }

  @Test func `conversions make what their page says`() throws {
    func made(_ name: String, _ values: Value...) -> [Value]? {
      Self.cases.first { $0.name == name }?.lens.forward(values)
    }
    #expect(made("times 60", .int(2)) == [.int(120)])
    #expect(made("times 60", .int(.max)) == nil)
    #expect(made("over 60", .int(-1)) == [.int(-1)])
    #expect(made("over 60", .int(119)) == [.int(1)])
    #expect(made("times 60 to ints", .double(1.5)) == [.int(90)])
    #expect(made("texts as doubles", .text("0x1")) == nil)
    #expect(made("texts as doubles", .text("nan")) == nil)
    #expect(made("texts as doubles", .text("-1.5e3")) == [.double(-1500)])
    #expect(made("cut", .text("A B C D")) == [.text("A"), .text("B"), .text("C D")])
    #expect(made("joined", .text("A"), .text("")) == [.text("A")])
    #expect(made("bools as cases", .bool(true)) == [.text("yes")])
    // "None" stays that where it may.
    let optional = FieldLens(
      sources: [LensEnd(field: 1, kind: .int, isOptional: true)],
      targets: [LensEnd(field: 2, kind: .int, isOptional: true)], conversion: .times(2),
      fills: false)
    #expect(optional.forward([.null]) == [.null] && optional.back([.null]) == [.null])
    #expect(made("times 60", .null) == nil)
  }

  private struct Wrong: Entity {
    let id: RecordID
    var number = 0
    var tags: Set<String> = []
    var other = ""
    init(id: RecordID) { self.id = id }
    static let schema = made([])
    static func made(_ lenses: [Lens<Wrong>]) -> EntitySchema<Wrong> {
      EntitySchema<Wrong>(
        5, "wrong",
        [.field(1, "number", \.number), .field(2, "tags", \.tags), .field(3, "other", \.other)],
        lenses: lenses)
    }
  }

  @Test func `a model says what is wrong with its lenses`() throws {
    let wrong: [(String, [Lens<Wrong>])] = [
      (
        "Two lenses make wrong.number",
        [
          .retype(OldField(7, Int.self), to: \.number, by: .same),
          .retype(OldField(8, Int.self), to: \.number, by: .same),
        ]
      ),
      ("names wrong.tags", [.retype(OldField(7, Int.self), to: \.tags, by: .same)]),
      ("as another type", [.retype(OldField(3, Int.self), to: \.number, by: .same)]),
      ("different kinds", [.retype(OldField(7, String.self), to: \.number, by: .same)]),
      ("in a circle", [.retype(OldField(1, Int.self), to: \.number, by: .same)]),
      (
        "in a circle",
        [
          .retype(OldField(1, Int.self), to: \.other, by: .text),
          .retype(OldField(3, String.self), to: \.number, by: .number),
        ]
      ),
      ("does not list", [.retype(OldField(7, String.self), to: \.id, by: .same)]),
      ("its divisor", [.retype(OldField(7, Int.self), to: \.number, by: .over(0))]),
      ("its factor", [.retype(OldField(7, Int.self), to: \.number, by: .times(0))]),
      ("fields of other types", [.retype(OldField(7, Int.self), to: \.number, by: .slug)]),
      ("out of range", [.retype(OldField(0, Int.self), to: \.number, by: .same)]),
      (
        "its separator is empty",
        [
          .merge(
            OldField(7, String.self), OldField(8, String.self), to: \.other, by: .separator(""))
        ]
      ),
    ]
    for (sentence, lenses) in wrong {
      do {
        try Model(Wrong.made(lenses)).validate()
        Issue.record("a model is not refused: \(sentence)")
      } catch {
        #expect(error.code == .invalidModel && error.message.contains(sentence))
      }
    }
    try Model(Wrong.made([.retype(OldField(7, Int.self), to: \.number, by: .times(2))])).validate()
  }
}
