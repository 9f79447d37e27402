/// Reads a changeset of a master file.
struct MasterChangeset {
  private(set) var warnings: [Warning] = []
  private let path: String
  private let logicalPath: String?
  private var rollback: [Change]?

  init(_ path: String, _ logicalPath: String?) {
    self.path = path
    self.logicalPath = logicalPath
  }

  private func place(_ element: MasterElement) -> Place { Place(path, element.line) }

  static func refusal(_ element: MasterElement, _ path: String) -> ChangelogError {
    ChangelogError(
      .refused, "\(element.title) is not supported: changes are written in SQL.",
      at: Place(path, element.line),
      write: element.form.example("include", "file")
        + ", and the change as formatted SQL in that file")
  }

  mutating func read(_ element: MasterElement) throws(ChangelogError) -> Changeset {
    let attributes = element.attributes
    guard let id = attributes["id"], let author = attributes["author"] else {
      throw ChangelogError(
        .refused, "The changeset has no id and author.", at: place(element),
        write: element.form.example("changeSet", "id", "author"))
    }
    var changeset = Changeset(
      id, author, in: attributes["logicalFilePath"] ?? logicalPath ?? path, at: place(element), [])
    changeset.attributes = Self.attributes(of: element)
    for name in ["runWith", "runOrder"] where attributes[name] != nil && attributes[name] != "jdbc"
    {
      throw ChangelogError(
        .refused, "\(name) is not supported.", at: place(element),
        write: "the changeset without \(name), where it is to run")
    }
    for child in element.children {
      if !Self.attributeNames.contains(child.name) {
        try add(child, to: &changeset)
      } else if !child.isValue, let text = attributes[child.name], text.hasPrefix("[") {
        warnings.append(
          Warning(
            place(child),
            "\(child.title) is a list, which Liquibase takes for the one text “\(text.prefix(80))”. "
              + "Several stand in one text, with commas."))
      }
    }
    if let rollback, case .missing = changeset.rollback {
      changeset.rollback = rollback.isEmpty ? .nothing : .sql(rollback)
    }
    // A tag is taken back with its row, and where nothing is done nothing is to undo.
    let isDone = changeset.changes.contains { $0.kind == .sql || $0.kind == .sqlFile }
    if !isDone, rollback == nil { changeset.rollback = .nothing }
    return changeset
  }

  private mutating func add(
    _ child: MasterElement, to changeset: inout Changeset
  ) throws(ChangelogError) {
    switch child.name {
    case "comment": changeset.comment = child.text.trimmed
    case "validCheckSum", "validCheckSums":
      changeset.validChecksums += child.text.split(separator: " ").map(String.init)
    case "preConditions":
      let (preconditions, warnings) = try MasterPreconditions.read(child, path)
      changeset.preconditions = preconditions
      self.warnings += warnings
    case "rollback": try addRollback(child, to: &changeset)
    case "changes" where child.form != .xml:
      for part in child.children { changeset.changes.append(try change(part)) }
    case "sql": changeset.changes.append(try change(child))
    case _ where child.isValue:
      warnings.append(Warning(place(child), "\(child.name.prefix(80)) is not known, and not read."))
    default: changeset.changes.append(try change(child))
    }
  }

  private mutating func addRollback(
    _ element: MasterElement, to changeset: inout Changeset
  ) throws(ChangelogError) {
    var inverse = rollback ?? []
    let attributes = element.attributes
    if let id = attributes["changeSetId"], let author = attributes["changeSetAuthor"] {
      changeset.rollback = .changeset(
        id: id, author: author, path: attributes["changeSetPath"], place(element))
    }
    let names = ["changeSetId", "changeSetAuthor", "changeSetPath"]
    for part in element.children where !names.contains(part.name) {
      inverse.append(try change(part))
    }
    if !element.text.trimmed.isEmpty { inverse.append(try sql(element)) }
    rollback = inverse
  }

  /// What a changeset says of itself, and is no change.
  private static let attributeNames: Set<String> = [
    "id", "author", "context", "contextFilter", "labels", "dbms", "runAlways", "runOnChange",
    "runInTransaction", "failOnError", "ignore", "logicalFilePath", "objectQuotingStrategy",
    "created", "runWith", "runOrder",
  ]

  private static func attributes(of element: MasterElement) -> Attributes {
    var attributes = Attributes()
    attributes.contexts = element.attributes["contextFilter"] ?? element.attributes["context"]
    attributes.labels = element.attributes["labels"].flatMap(Attributes.storedLabels)
    attributes.dbms = element.attributes["dbms"]
    attributes.runsAlways = element.flag("runAlways") ?? false
    attributes.runsOnChange = element.flag("runOnChange") ?? false
    attributes.isInTransaction = element.flag("runInTransaction") ?? true
    attributes.failsOnError = element.flag("failOnError") ?? true
    attributes.isIgnored = element.flag("ignore") ?? false
    return attributes
  }

  // MARK: Changes

  private func change(_ element: MasterElement) throws(ChangelogError) -> Change {
    switch element.name {
    case "sql":
      let change = try sql(element)
      guard !change.body.isBlank else {
        throw ChangelogError(
          .refused, "\(element.title) has no SQL.", at: place(element),
          write: element.form.example("sql", text: "SELECT 1"))
      }
      return change
    case "sqlFile":
      guard let file = element.attributes["path"], !file.isEmpty else {
        throw ChangelogError(
          .refused, "\(element.title) names no file.", at: place(element),
          write: element.form.example("sqlFile", "path"))
      }
      var change = try sql(element)
      change.kind = .sqlFile
      change.file =
        element.flag("relativeToChangelogFile") == true
        ? ChangelogReader.join(path, file) : file
      return change
    case "tagDatabase":
      guard let tag = element.attributes["tag"], !tag.isEmpty else {
        throw ChangelogError(
          .refused, "\(element.title) names no tag.", at: place(element),
          write: element.form.example("tagDatabase", "tag"))
      }
      return Change(try body("", element), SplitOptions(), .tag(tag))
    case "empty": return Change(try body("", element), SplitOptions(), .empty)
    default: throw Self.refusal(element, path)
    }
  }

  private func sql(_ element: MasterElement) throws(ChangelogError) -> Change {
    // The comment of an sql is a note for its reader.
    let options = SplitOptions(
      splitsStatements: element.flag("splitStatements") ?? true,
      stripsComments: element.flag("stripComments") ?? false,
      endDelimiter: element.attributes["endDelimiter"])
    let text = element.form == .xml ? element.text : element.attributes["sql"] ?? element.text
    return Change(try body(text, element), options, dbms: element.attributes["dbms"])
  }

  private func body(_ text: String, _ element: MasterElement) throws(ChangelogError) -> Body {
    Body(whole: try SourceText(path: path, Array(text.utf8)), line: element.line)
  }
}
