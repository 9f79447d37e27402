/// How the text of a changeset becomes statements.
package struct SplitOptions: Sendable, Hashable {
  /// Whether it is several statements; else it is one, whole.
  package var splitsStatements = true
  /// Whether comments are left out of what the database is given.
  package var stripsComments = true
  /// What stands between statements; nil for a semicolon, or GO or / on a line of its own.
  package var endDelimiter: String?

  package init(
    splitsStatements: Bool = true, stripsComments: Bool = true, endDelimiter: String? = nil
  ) {
    self.splitsStatements = splitsStatements
    self.stripsComments = stripsComments
    self.endDelimiter = endDelimiter
  }
}
