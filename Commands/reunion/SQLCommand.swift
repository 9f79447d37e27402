import Foundation
import Reunion
import ReunionTools

/// `reunion sql`: a SELECT over the views of a store.
enum SQLCommand {
  private static let help = """
    Usage: reunion sql FOLDER [SELECT] [--json]

    Runs a SELECT over the store in FOLDER, which may be in use: a view for each entity, with a
    column for each field. Without a SELECT it lists them. It changes nothing. Tabs separate the
    columns; with --json each row is an object. The guide sql.md says what the views hold.

      reunion sql album-data "SELECT caption, width FROM photo ORDER BY takenAt LIMIT 5"

    Exit codes: 0 done, 1 failed, 2 not understood.
    """

  static let verb = Verb("sql", help: help) { arguments, output, _ in
    try run(
      arguments.rest(1...2, or: "Say which folder, and the SELECT as one word in quotes."), output)
  }

  private static func run(_ words: [String], _ output: Output) throws {
    do {
      guard words.count == 2 else { return try list(words[0], output) }
      let rows = try Store.sql(words[1], inFolder: words[0])
      if !output.isJSON { output.say([:], rows.columns.joined(separator: "\t")) }
      for row in rows { output.say(fields(row), row.values.map(line).joined(separator: "\t")) }
    } catch let error as StoreError {
      throw CommandFailure(error.code == .invalidSQL ? 2 : 1, error.description)
    }
  }

  private static func list(_ folder: String, _ output: Output) throws {
    for view in try Store.sqlViews(inFolder: folder) {
      output.say(
        ["view": view.name, "columns": view.columns],
        "\(view.name): \(view.columns.joined(separator: ", "))")
    }
  }

  /// On one line, whatever is in a text.
  private static func line(_ value: SQLValue) -> String {
    value.description.map { $0.isNewline || $0 == "\t" ? " " : String($0) }.joined()
  }

  private static func fields(_ row: SQLRow) -> [String: any Sendable] {
    var fields: [String: any Sendable] = [:]
    for (column, value) in zip(row.columns, row.values) where fields[column] == nil {
      switch value {
      case .null: fields[column] = NSNull()
      case .integer(let number): fields[column] = number
      // JSON has no infinity.
      case .real(let number): fields[column] = number.isFinite ? number : "\(number)"
      case .text, .blob: fields[column] = value.description
      }
    }
    return fields
  }
}
