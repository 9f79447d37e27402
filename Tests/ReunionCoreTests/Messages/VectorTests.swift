import Foundation
import ReunionCore
import Testing

/// The vectors that natively, in node and in Chromium must agree byte for byte (docs/protocol.md 1.2, 1.3).
///
/// `Tests/Vectors/core.txt` holds a line each: name, function, input, output or `!` and the error.
/// Write it anew with `REUNION_WRITE_VECTORS=1 swift test --filter VectorTests`.
@Suite struct VectorTests {
  static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Vectors/core.txt")

  @Test func `agrees with every vector`() throws {
    if ProcessInfo.processInfo.environment["REUNION_WRITE_VECTORS"] != nil {
      try Self.made().write(to: Self.file, atomically: true, encoding: .utf8)
    }
    let lines = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n")
    #expect(lines.count > 700)
    for line in lines {
      let parts = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
      let function = try #require(UInt8(parts[1]).flatMap(Bridge.Function.init(rawValue:)))
      let input = try #require(Hexadecimal.bytes(String(parts[2])))
      #expect(Self.answer(function, input) == String(parts[3]), "\(parts[0])")
    }
  }

  @Test func `the vectors on disk are the ones that this build makes`() throws {
    #expect(try String(contentsOf: Self.file, encoding: .utf8) == Self.made())
  }

  static func answer(_ function: Bridge.Function, _ input: [UInt8]) -> String {
    do { return Hexadecimal.text(try Bridge.call(function, input)) } catch { return "!\(error)" }
  }

  static func made() -> String {
    var text = ""
    func add(_ name: String, _ function: Bridge.Function, _ input: [UInt8]) {
      let input = (name, function.rawValue, Hexadecimal.text(input), answer(function, input))
      text += "\(input.0) \(input.1) \(input.2) \(input.3)\n"
    }
    for (name, message) in sampleMessages {
      let wire = message.encoded()
      add("decode-\(name)", .decode, wire)
      if let flat = try? Bridge.call(.decode, wire) { add("encode-\(name)", .encode, flat) }
      add("decode-cut-\(name)", .decode, Array(wire.dropLast()))
    }
    var random = Seeded(2026)
    var edits = Seeded(5)
    for round in 0..<120 {
      let state = RecordState(
        (0..<3).map { _ in randomCell(using: &random) }.reduce(into: []) {
          var merged = RecordState($0)
          _ = merged.merge($1)
          $0 = merged.cells
        })
      let incoming = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        randomCell(using: &random)
      }
      add("merge-\(round)", .merge, flat(state.cells) + flat(incoming))
      add("deletion-\(round)", .deletion, flat(state.cells))
      let wall = 1_800_000_000_000 + UInt64.random(in: 0...600_000, using: &random)
      let last = Stamp(
        milliseconds: wall + UInt64.random(in: 0...600_000, using: &random) - 300_000)
      let other = Stamp(
        milliseconds: wall + UInt64.random(in: 0...900_000, using: &random) - 300_000)
      add("stamp-\(round)", .nextStamp, numbers(wall, last.rawValue, other.rawValue, UInt64(round)))
      add("observe-\(round)", .observeStamp, numbers(wall, last.rawValue, other.rawValue))
      let bytes = (0..<Int.random(in: 0...150, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      add("hash-\(round)", .hash, bytes)
      var plan = ByteWriter()
      plan.byte(UInt8.random(in: 0...9, using: &random))
      for limit in [UInt32(12_000), 12_000, 4_096] {
        plan.integer(UInt32.random(in: 0...limit, using: &random))
      }
      add("plan-\(round)", .plan, plan.bytes)
      plan.bytes((PictureEdit.random(using: &edits)).bytes)
      add("plan-edited-\(round)", .plan, plan.bytes)
      add("plan-cut-\(round)", .plan, Array(plan.bytes.dropLast(round % 9 + 1)))
    }
    addParts(add)
    return text
  }

  /// Counters, sets and lists of few elements, so that most of what comes meets something.
  private static func addParts(_ add: (String, Bridge.Function, [UInt8]) -> Void) {
    var random = Seeded(14)
    func cells(_ count: Int) -> [Cell] {
      (0..<count).map { _ in
        let stamp = UInt64.random(in: 1...20, using: &random)
        let site = [ann, ben, cem].randomElement(using: &random) ?? ann
        return Int.random(in: 0..<8, using: &random) == 0
          ? randomCell(using: &random)
          : randomCollectionCell(
            site, UInt64.random(in: 1...12, using: &random), stamp: stamp, using: &random)
      }
    }
    var places: [Position?] = [nil, nil]
    for round in 0..<120 {
      var state = RecordState()
      for cell in cells(14) { _ = state.merge(cell) }
      add("merge-parts-\(round)", .merge, flat(state.cells) + flat(cells(7)))
      add("deletion-parts-\(round)", .deletion, flat(state.cells))
      let at = Int.random(in: 0..<(places.count - 1), using: &random)
      // Of eight one is the wrong way round.
      let ends = round % 8 == 7 ? [places[at + 1], places[at]] : [places[at], places[at + 1]]
      let bits = random.next()
      var input = ByteWriter()
      for end in ends.map({ $0?.bytes ?? [] }) {
        input.integer(UInt32(end.count))
        input.bytes(end)
      }
      input.integer(bits)
      add("between-\(round)", .between, input.bytes)
      add("between-cut-\(round)", .between, Array(input.bytes.dropLast(round % 12 + 1)))
      if let place = Position.between(places[at], places[at + 1], using: &random) {
        places.insert(place, at: at + 1)
      }
    }
  }

  private static func numbers(_ values: UInt64...) -> [UInt8] {
    var writer = ByteWriter()
    for value in values { writer.integer(value) }
    return writer.bytes
  }

  private static func flat(_ cells: [Cell]) -> [UInt8] {
    var writer = ByteWriter()
    writer.integer(UInt32(cells.count))
    for cell in cells {
      writer.integer(cell.field)
      writer.byte(cell.merge.rawValue)
      writer.byte(cell.value.kind.rawValue)
      writer.identifier(cell.dot.site)
      for number in [cell.dot.seq, cell.stamp.rawValue, cell.replaced.rawValue] {
        writer.integer(number)
      }
      writer.integer(UInt32(cell.value.bytes.count))
      writer.bytes(cell.value.bytes)
    }
    return writer.bytes
  }
}
