import Foundation

/// Prints sentences for people, or a JSON object a line for programs.
public struct Output: Sendable {
  /// Whether it is for programs.
  public let isJSON: Bool

  /// An output, for programs or for people.
  public init(isJSON: Bool) { self.isJSON = isJSON }

  /// Says what was asked for, or what was done.
  public func say(_ fields: [String: any Sendable], _ sentence: String) {
    write((isJSON ? Self.line(fields) : sentence) + "\n")
  }

  /// What a verb makes, where no file was named for it: as it is, or as a field of an object.
  public func hand(out name: String, _ text: String, _ fields: [String: any Sendable]) {
    write(isJSON ? Self.line(fields.merging([name: text]) { $1 }) + "\n" : text)
  }

  /// Says something beside that, where it is in nobody's way: on standard error.
  public func remark(_ fields: [String: any Sendable], _ sentence: String) {
    let text = (isJSON ? Self.line(fields) : sentence) + "\n"
    FileHandle.standardError.write(Data(text.utf8))
  }

  /// Says on standard error why the program ends with a code other than 0.
  public func fail(_ failure: CommandFailure) {
    let error: [String: any Sendable] = [
      "error": failure.sentence, "exitCode": Int(failure.exitCode),
    ]
    let text =
      isJSON
      ? Self.line(error.merging(failure.details) { $1 })
      : "reunion: \(failure.sentence)\(failure.help.map { "\n\n\($0)" } ?? "")"
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  private func write(_ text: String) {
    // Unbuffered, so that whoever reads a pipe sees progress.
    FileHandle.standardOutput.write(Data(text.utf8))
  }

  private static func line(_ fields: [String: any Sendable]) -> String {
    let data = try? JSONSerialization.data(
      withJSONObject: fields, options: [.sortedKeys, .withoutEscapingSlashes])
    return String(decoding: data ?? Data(), as: UTF8.self)
  }
}

extension Int {
  /// So many of something: "1 record", "2 records".
  public func counted(_ one: String, _ many: String? = nil) -> String {
    "\(self) \(self == 1 ? one : many ?? one + "s")"
  }
}

extension String {
  /// On one line, and without what would steer the terminal.
  public var onOneLine: String {
    unicodeScalars.map { scalar in
      switch scalar {
      case "\n": "\\n"
      case "\r": "\\r"
      case "\t": "\\t"
      case _
      where [.control, .format, .lineSeparator, .paragraphSeparator].contains(
        scalar.properties.generalCategory):
        "\\u{\(String(scalar.value, radix: 16))}"
      default: String(scalar)
      }
    }.joined()
  }
}
