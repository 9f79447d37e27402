/// A statement of PostgreSQL that works in several transactions, so that one that fails leaves something.
struct ConcurrentStatement {
  enum Kind: Equatable {
    case createIndex
    case reindex
    case dropIndex
    case detachPartition
  }

  let kind: Kind
  /// All names in it as the database has them: those of tables and indexes are among them.
  let names: Set<String>

  /// Nil for any other statement.
  init?(_ statement: SQLStatement) {
    let text = SQLText(statement.bytes, [], "")
    var tokenizer = Tokenizer(text, .postgresql)
    var names: Set<String> = []
    var words: [String] = []
    while let token = try? tokenizer.next() {
      let bytes = text.bytes[token.range]
      if token.kind == .word {
        if words.count < 64 { words.append(bytes.text.uppercased()) }
        names.insert(bytes.text.lowercased())
      } else if token.kind == .quoted, bytes.first == 0x22 {
        names.insert(bytes.dropFirst().dropLast().text.replacing("\"\"", with: "\""))
      }
    }
    guard words.contains("CONCURRENTLY") else { return nil }
    switch words.first {
    case "CREATE" where words.contains("INDEX"): kind = .createIndex
    case "REINDEX": kind = .reindex
    case "DROP" where words.contains("INDEX"): kind = .dropIndex
    case "ALTER" where words.contains("DETACH"): kind = .detachPartition
    default: return nil
    }
    self.names = names
  }

  /// Whether an index is what it is about: it names the index or its table, or REINDEX made it beside one.
  func isAbout(_ index: InvalidIndex) -> Bool {
    namesIndex(index) || names.contains(index.table)
      || kind == .reindex && !names.isDisjoint(with: ["database", "schema", "system"])
  }

  /// Whether it names an index, or the one beside which REINDEX made it.
  func namesIndex(_ index: InvalidIndex) -> Bool {
    if names.contains(index.name) { return true }
    guard kind == .reindex, let end = index.name.range(of: "_ccnew") else { return false }
    return names.contains(String(index.name[..<end.lowerBound]))
  }
}

/// An index that PostgreSQL does not use, and that keeps nothing unique.
struct InvalidIndex: Sendable, Hashable {
  let name: String
  let table: String
  /// As SQL names it.
  let quoted: String
}

extension String {
  /// Where a text stands in it first.
  fileprivate func range(of part: String) -> Range<String.Index>? { ranges(of: part).first }
}

extension ChangelogDatabase {
  /// The indexes that are not valid, without those that somebody makes just now.
  func invalidIndexes() throws(DatabaseError) -> [InvalidIndex] {
    try query(
      """
      SELECT c.relname, t.relname, quote_ident(n.nspname) || '.' || quote_ident(c.relname)
      FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
        JOIN pg_catalog.pg_class t ON t.oid = i.indrelid
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE NOT i.indisvalid AND c.relkind = 'i' AND n.nspname NOT LIKE 'pg~_toast%' ESCAPE '~'
        AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_stat_progress_create_index p
          WHERE p.index_relid = c.oid OR p.relid = t.oid)
      ORDER BY 3
      """
    ).compactMap { row in
      guard row.count == 3, let name = row[0], let table = row[1], let quoted = row[2] else {
        return nil
      }
      return InvalidIndex(name: name, table: table, quoted: quoted)
    }
  }

  /// The partitions that are half taken off their table: the table, and the partition.
  func pendingPartitions() throws(DatabaseError) -> [(table: String, partition: String)] {
    try query(
      """
      SELECT inhparent::regclass::text, inhrelid::regclass::text
      FROM pg_catalog.pg_inherits WHERE inhdetachpending
      """
    ).compactMap { row in
      guard row.count == 2, let table = row[0], let partition = row[1] else { return nil }
      return (table, partition)
    }
  }
}
