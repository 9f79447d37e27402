import ReunionCore
import ReunionDisk

/// What the searchable texts of records are searched for.
struct TextSearch<E: Entity>: Sendable {
  /// Words beyond these are not looked at.
  static var wordsMax: Int { 64 }

  let text: String
  let isPrefix: Bool
  /// The fields to search; none for all that are searchable.
  let paths: [any PartialKeyPath<E> & Sendable]

  /// The search in the index's own language. Nothing that a person types means anything in it: each
  /// word is quoted.
  func expression(_ index: TextIndex) throws(StoreError) -> String {
    var columns: [String] = []
    for path in paths {
      let field = try E.schema.field(path)
      guard index.fields.contains(field.number) else {
        throw StoreError(
          .invalidModel,
          "\(E.schema.name).\(field.name) is not searchable: mark it in the schema.")
      }
      columns.append("f\(field.number)")
    }
    // A NUL would end the search in the middle of a word.
    let words = text.split { $0.isWhitespace || $0 == "\0" }.prefix(Self.wordsMax)
    let quoted = words.map { word in
      // Of several words in the index it is a phrase of them.
      let word = String(decoding: UnspacedText.gapped(Array(word.utf8)), as: UTF8.self)
      return
        "\"\(word.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
        + (isPrefix ? "*" : "")
    }
    let all = quoted.isEmpty ? "\"\"" : quoted.joined(separator: " ")
    return columns.isEmpty ? "(\(all))" : "({\(columns.joined(separator: " "))} : (\(all)))"
  }
}

extension Query {
  /// Those in whose searchable fields all words of a text occur, whatever their case and accents.
  /// In scripts that put no spaces between words, such as Japanese, Chinese and Thai, a word is
  /// found wherever it stands.
  ///
  /// ```swift
  /// let found = Query<Photo>(in: space).matching("harbour caf", prefixes: true)
  /// for photo in try store.fetch(found.sortedByRelevance()) { print(photo.caption ?? "") }
  /// ```
  /// The text is a person's, and no language: any text is allowed, no character is special, and one
  /// without a word finds nothing. The words may stand in several fields of a record, in any order.
  /// With `prefixes`, beginnings of words are found as well, as while somebody types. Words after
  /// the 64th are not looked at. A second `matching` narrows the first.
  ///
  /// *Cost*: the index of words is asked first, so that it grows with what is found and not with
  /// what is there. *Errors*: fetching throws `invalidModel` where no field of the schema is
  /// `searchable`.
  public func matching(_ text: String, prefixes: Bool = false) -> Query {
    searching(TextSearch(text: text, isPrefix: prefixes, paths: []))
  }

  /// As `matching(_:prefixes:)`, in one field. Fetching throws `invalidModel` if that is not
  /// `searchable`.
  public func matching<V: FieldValue>(
    _ text: String, in path: any KeyPath<E, V> & Sendable, prefixes: Bool = false
  ) -> Query { searching(TextSearch(text: text, isPrefix: prefixes, paths: [path])) }

  private func searching(_ search: TextSearch<E>) -> Query {
    var query = self
    query.searches.append(search)
    return query
  }

  /// The best matches of `matching(_:prefixes:)` first: those with more and rarer of the words in
  /// shorter texts. Other orders of the query go within it, or before it if they were named before.
  ///
  /// Fetching throws `invalidModel` where the query searches nothing. Source: Okapi BM25, as
  /// SQLite's FTS5 computes it.
  public func sortedByRelevance() -> Query { ordered(.relevance) }
}

extension QueryText {
  /// The records of an entity in which all searches of a query find something, from FROM on.
  mutating func searching<E: Entity>(
    _ query: Query<E>, _ alias: String, joining join: String
  ) throws(StoreError) -> String {
    guard let index = layout.textIndexes[E.schema.number] else {
      throw StoreError(
        .invalidModel, "No field of \(E.schema.name) is searchable: mark one in the schema.")
    }
    read(fields: index.fields, of: E.self)
    var expressions: [String] = []
    for search in query.searches { expressions.append(try search.expression(index)) }
    let place = place(.text(expressions.joined(separator: " AND ")))
    // CROSS has SQLite begin with the words.
    return " FROM \(index.name) AS \(TextIndex.alias)"
      + " CROSS JOIN \(index.rowsName) AS found ON found.number = \(TextIndex.alias).rowid"
      + " CROSS JOIN \(try table(E.self).name) AS \(alias) ON \(alias).space = ?1"
      + " AND \(alias).id = found.id\(join)"
      + " WHERE \(TextIndex.alias).\(index.name) MATCH \(place)"
      + " AND \(TextIndex.isInSpace("\(TextIndex.alias).rowid"))"
  }
}
