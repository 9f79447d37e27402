/// Which changesets a run is about: those of its contexts and labels, for its database.
package struct Selection: Sendable {
  /// Nil if no contexts were named: then all contexts are meant.
  private let contexts: Set<String>?
  /// Nil if no labels were given: then all labels are meant.
  private let labels: ContextExpression?
  /// The same as words with commas between them.
  private let labelWords: Set<String>
  package let dialect: Dialect

  /// Contexts are words with commas between them, labels an expression.
  package init(
    contexts: String? = nil, labels: String? = nil, dialect: Dialect
  ) throws(ChangelogError) {
    let words = contexts?.split(separator: ",").map {
      $0.trimmed.lowercased()
    }.filter { !$0.isEmpty }
    self.contexts = words.flatMap { $0.isEmpty ? nil : Set($0) }
    labelWords = Set(
      (labels ?? "").split(separator: ",").map { $0.trimmed.lowercased() }.filter { !$0.isEmpty })
    do throws(ChangelogError) {
      self.labels =
        if let labels, !labels.trimmed.isEmpty {
          try ContextExpression(labels, at: Place("--labels", 1))
        } else { nil }
    } catch {
      throw ChangelogError(
        .misunderstood, "--labels “\(labels ?? "")” is no expression.",
        write: "--labels \"a and !b\"")
    }
    self.dialect = dialect
  }

  /// Whether an expression of contexts, as a changeset has it, holds for the contexts of the run.
  package func includes(contexts expression: String?, at place: Place) throws(ChangelogError)
    -> Bool
  {
    guard let expression, !expression.trimmed.isEmpty else { return true }
    let parsed = try ContextExpression(expression, at: place)
    guard let contexts else { return parsed.isExplicit ? parsed.holds(for: []) : true }
    return parsed.holds(for: contexts)
  }

  /// Whether the labels of a changeset are such as the run asks for; what has none is in every run.
  package func includes(labels list: String?) -> Bool {
    guard let labels else { return true }
    let words = (list ?? "").split(separator: ",").map { $0.trimmed.lowercased() }
      .filter { !$0.isEmpty }
    return words.isEmpty || labels.holds(for: Set(words))
  }

  /// Whether the labels of an `include` are such as the run asks for: as Liquibase reads them they are the
  /// expression, and what the run asks for are words.
  func includes(inclusion expression: String?, at place: Place) throws(ChangelogError) -> Bool {
    guard labels != nil, let expression, !expression.trimmed.isEmpty else { return true }
    return try ContextExpression(expression, at: place).holds(for: labelWords)
  }

  /// Whether a list of databases, as `postgresql,sqlite` or `!h2`, has this one.
  package func includes(dbms list: String?) -> Bool { dialect.isIn(list) }
}

extension Dialect {
  /// Whether a list of databases, as `postgresql,sqlite` or `!h2`, has this one.
  func isIn(_ list: String?) -> Bool {
    let names = (list ?? "").split(separator: ",").map { $0.trimmed.lowercased() }
      .filter { !$0.isEmpty }
    if names.isEmpty || names.contains("all") { return true }
    if names.contains("none") { return false }
    if names.contains(rawValue) { return true }
    if names.contains("!\(rawValue)") { return false }
    return names.allSatisfy { $0.hasPrefix("!") }
  }
}

extension StringProtocol {
  /// Without whitespace at both ends.
  var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}
