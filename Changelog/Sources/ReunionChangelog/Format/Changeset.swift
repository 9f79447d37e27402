/// One change of a database, as a file has it.
package struct Changeset: Sendable {
  package var id: String
  package var author: String
  /// The path that the history knows it by.
  package var path: String
  package var place: Place

  package var attributes = Attributes()
  /// What the files that include it ask for, from the outermost in.
  package var includedIn: [Inclusion] = []
  package var comment = ""
  /// What it does, in this order; of formatted SQL it is one.
  package var changes: [Change]
  package var rollback = Rollback.missing
  package var preconditions: Preconditions?
  package var validChecksums: [String] = []
  /// How Liquibase 4.6.2 reads it, where that is another text or are other options.
  package var asIn46: [Change]?
  /// The path that Liquibase 4.6.2 knows it by, where that is another.
  package var pathIn46: String?

  /// What takes a changeset back.
  package enum Rollback: Sendable {
    /// Nobody wrote it.
    case missing
    /// There is nothing to do.
    case nothing
    case sql([Change])
    /// The SQL of another changeset is run once more.
    case changeset(id: String, author: String, path: String?, Place)
  }

  /// What an `include` says of all that is in the file.
  package struct Inclusion: Sendable, Equatable {
    package var contexts: String?
    package var labels: String?
    package var isIgnored = false
  }

  init(_ id: String, _ author: String, in path: String, at place: Place, _ changes: [Change]) {
    self.id = id
    self.author = author
    self.path = path
    self.place = place
    self.changes = changes
  }

  /// What tells it from all others.
  package var key: ChangesetKey { ChangesetKey(id: id, author: author, path: path) }

  /// The same with the path of 4.6.2.
  var keyIn46: ChangesetKey? {
    pathIn46.map { ChangesetKey(id: id, author: author, path: $0) }
  }

  /// What its DESCRIPTION says.
  package var summary: String {
    changes.isEmpty ? "empty" : changes.map { $0.kind.name }.joined(separator: "; ")
  }

  /// The tag that it sets, as `tagDatabase` of a master file does.
  package var tag: String? {
    for case .tag(let tag) in changes.map({ $0.kind }) { return tag }
    return nil
  }
}

/// A part of a changeset.
package struct Change: Sendable {
  package enum Kind: Sendable, Equatable {
    case sql
    /// A whole file.
    case sqlFile
    /// Gives the row of the changeset a tag.
    case tag(String)
    /// Does nothing.
    case empty

    var name: String {
      switch self {
      case .sql: "sql"
      case .sqlFile: "sqlFile"
      case .tag: "tagDatabase"
      case .empty: "empty"
      }
    }
  }

  package var kind = Kind.sql
  package var body: Body
  package var options: SplitOptions
  /// The databases that it is for; nil for all.
  package var dbms: String?
  /// The file whose SQL is still to be read into the body.
  var file: String?

  /// Whether it is for a database.
  func isFor(_ dialect: Dialect) -> Bool { dialect.isIn(dbms) }

  init(
    _ body: Body, _ options: SplitOptions, _ kind: Kind = .sql, dbms: String? = nil
  ) {
    self.kind = kind
    self.body = body
    self.options = options
    self.dbms = dbms
  }
}

/// What tells a changeset from all others: id, author and path, the last as one path however written.
package struct ChangesetKey: Sendable, Hashable, CustomStringConvertible {
  package let id: String
  package let author: String
  package let path: String

  package init(id: String, author: String, path: String) {
    self.id = id
    self.author = author
    self.path = Self.normalized(path)
  }

  package var description: String { "\(path)::\(id)::\(author)" }

  /// A path without what different ways to start a program put in front of it.
  static func normalized(_ path: String) -> String {
    var path = path.replacing("\\", with: "/")
    if path.hasPrefix("classpath:") { path.removeFirst("classpath:".count) }
    var parts: [Substring] = []
    for part in path.split(separator: "/", omittingEmptySubsequences: true) where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else {
        parts.append(part)
      }
    }
    return parts.joined(separator: "/")
  }
}

/// What a changeset says of itself.
package struct Attributes: Sendable {
  package var contexts: String?
  package var labels: String?
  package var dbms: String?
  package var logicalPath: String?
  package var runsAlways = false
  package var runsOnChange = false
  package var isInTransaction = true
  package var failsOnError = true
  package var isIgnored = false

  /// Labels as the history has them: in small letters, each once.
  static func storedLabels(_ text: String) -> String? {
    var labels: [String] = []
    for label in text.split(separator: ",").map({ $0.trimmed.lowercased() })
    where !label.isEmpty && !labels.contains(label) { labels.append(label) }
    return labels.isEmpty ? nil : labels.joined(separator: ",")
  }
}
