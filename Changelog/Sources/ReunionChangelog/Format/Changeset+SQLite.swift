/// What Liquibase does otherwise on SQLite: its driver runs only the first statement of a text, and
/// fails on a text that has none.
extension Changeset {
  var warningsOnSQLite: [Warning] {
    guard Dialect.sqlite.isIn(attributes.dbms) else { return [] }
    return changes.flatMap { $0.warningsOnSQLite(place) }
  }
}

extension Change {
  /// What cannot be cut into statements is told when it is to be run.
  fileprivate func warningsOnSQLite(_ place: Place) -> [Warning] {
    let isWhole = !options.splitsStatements || options.endDelimiter != nil
    guard kind == .sql || kind == .sqlFile, isFor(.sqlite), isWhole || !options.stripsComments
    else { return [] }
    var warnings: [Warning] = []
    do throws(ChangelogError) {
      let text = body.text()
      var wholes = try StatementSplitter(text, options, .sqlite)
      var rest = text.bytes
      while let whole = try wholes.next() {
        if !options.stripsComments { rest = text.bytes[whole.bytes.endIndex...] }
        guard isWhole, try Self.hasSeveral(whole, options) else { continue }
        warnings.append(
          Warning(
            whole.place,
            "Liquibase runs only the first statement of this text on SQLite. Here all are run."))
      }
      if !options.stripsComments, Self.hasComment(rest) {
        warnings.append(
          Warning(
            place,
            "Comments stand alone at its end, on which Liquibase fails on SQLite. "
              + "Here they do nothing."
          ))
      }
    } catch {
      return warnings
    }
    return warnings
  }

  private static func hasComment(_ text: ArraySlice<UInt8>) -> Bool {
    text.indices.contains {
      text[$0...].starts(with: "--".utf8) || text[$0...].starts(with: "/*".utf8)
    }
  }

  private static func hasSeveral(
    _ whole: SQLStatement, _ options: SplitOptions
  ) throws(ChangelogError) -> Bool {
    var parts = try StatementSplitter(whole, options, .sqlite)
    guard try parts.next() != nil else { return false }
    return try parts.next() != nil
  }
}
