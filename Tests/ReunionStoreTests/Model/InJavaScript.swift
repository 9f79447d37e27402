import Foundation
import NodeBrowsers
import ReunionCore

@testable import ReunionStore

/// What a program of `Tests/World` does in JavaScript: an event is a line of JSON, and so is its answer.
struct InJavaScript {
  private struct Answer<Result: Decodable>: Decodable {
    let result: Result?
  }

  private let script: NodeBrowsers

  /// Starts a program.
  init(_ program: String) throws { script = try NodeBrowsers(program) }

  @discardableResult
  func tell<Result: Decodable>(
    _ event: [String: Any], _: Result.Type = String.self
  ) throws -> Result? {
    let line = try JSONSerialization.data(withJSONObject: event)
    let answer = try script.tell(String(decoding: line, as: UTF8.self))
    return try JSONDecoder().decode(Answer<Result>.self, from: Data(answer.utf8)).result
  }

  /// A cell in a line, as `answers.mjs` writes it: of many bytes their count and the last ones.
  static func line(_ cell: Cell) -> String {
    let bytes = cell.value.bytes
    let ends =
      bytes.count > 200
      ? "\(bytes.count):\(Hexadecimal.text(bytes.suffix(8)))" : Hexadecimal.text(bytes)
    return [
      "\(cell.field)", "\(cell.merge.rawValue)", "\(cell.value.kind.rawValue)",
      Hexadecimal.text(cell.dot.site.bytes), "\(cell.dot.seq)", "\(cell.stamp.rawValue)",
      "\(cell.replaced.rawValue)", ends,
    ].joined(separator: " ")
  }

  /// The cells of a record, each in a line behind its id.
  static func lines(_ id: RecordID, _ state: RecordState?) -> [String] {
    (state?.cells ?? []).map { "\(Hexadecimal.text(id.bytes)) \(line($0))" }
  }
}

/// The clock of the replicas of both languages.
final class SharedClock: @unchecked Sendable {
  var milliseconds: UInt64

  init(_ milliseconds: UInt64 = 1_800_000_000_000) { self.milliseconds = milliseconds }
}
