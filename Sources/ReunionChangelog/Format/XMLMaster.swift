/// A master file: what it includes, and changesets of SQL.
struct XMLMaster {
  enum Item {
    case include(Include)
    case property(name: String, value: String, Filter, Place)
    case preconditions(Preconditions)
    case changeset(Changeset)
  }

  /// What a property is for.
  struct Filter {
    let contexts: String?
    let labels: String?
    let dbms: String?
  }

  private(set) var items: [Item] = []
  private let path: String
  private let logicalPath: String?

  init(_ path: String, _ bytes: [UInt8]) throws(ChangelogError) {
    let root = try XMLElement.root(of: bytes, path)
    guard root.name == "databaseChangeLog" else {
      throw ChangelogError(
        .refused, "<\(root.name)> is no changelog.", at: Place(path, root.line),
        write: "<databaseChangeLog>")
    }
    self.path = path
    logicalPath = root.attributes["logicalFilePath"]
    for element in root.children { try add(element) }
  }

  private func place(_ element: XMLElement) -> Place { Place(path, element.line) }

  private mutating func add(_ element: XMLElement) throws(ChangelogError) {
    let attributes = element.attributes
    switch element.name {
    case "include", "includeAll":
      let isFolder = element.name == "includeAll"
      let name = isFolder ? "path" : "file"
      guard let target = attributes[name], !target.isEmpty else {
        throw ChangelogError(
          .refused, "<\(element.name)> names no \(isFolder ? "folder" : "file").",
          at: place(element), write: "<\(element.name) \(name)=\"…\"/>")
      }
      for unknown in ["filter", "resourceComparator"] where attributes[unknown] != nil {
        throw ChangelogError(
          .refused, "<includeAll \(unknown)=…> names a class of Java.", at: place(element),
          write: "one <include file=\"…\"/> a file, in their order")
      }
      items.append(
        .include(
          Include(
            path: target, isFolder: isFolder,
            isRelative: element.flag("relativeToChangelogFile") ?? false,
            inclusion: Changeset.Inclusion(
              contexts: attributes["contextFilter"] ?? attributes["context"],
              labels: attributes["labels"], isIgnored: element.flag("ignore") ?? false),
            needsFiles: element.flag("errorIfMissingOrEmpty") ?? true, place: place(element))))
    case "property":
      guard let name = attributes["name"], let value = attributes["value"] else {
        throw ChangelogError(
          .refused, "The property has no name and value in this file.", at: place(element),
          write: "<property name=\"…\" value=\"…\"/>")
      }
      let filter = Filter(
        contexts: attributes["contextFilter"] ?? attributes["context"],
        labels: attributes["labels"], dbms: attributes["dbms"])
      items.append(.property(name: name, value: value, filter, place(element)))
    case "preConditions":
      items.append(.preconditions(try XMLPreconditions.read(element, path)))
    case "changeSet": items.append(.changeset(try changeset(element)))
    default: throw refusal(element)
    }
  }

  private func refusal(_ element: XMLElement) -> ChangelogError {
    ChangelogError(
      .refused, "<\(element.name)> is not supported: changes are written in SQL.",
      at: place(element),
      write: "<include file=\"….sql\"/>, and the change as formatted SQL in that file")
  }

  // MARK: Changesets

  private func changeset(_ element: XMLElement) throws(ChangelogError) -> Changeset {
    let attributes = element.attributes
    guard let id = attributes["id"], let author = attributes["author"] else {
      throw ChangelogError(
        .refused, "The changeset has no id and author.", at: place(element),
        write: "<changeSet id=\"…\" author=\"…\">")
    }
    var changeset = Changeset(
      id, author, in: attributes["logicalFilePath"] ?? logicalPath ?? path, at: place(element), [])
    changeset.attributes = Self.attributes(of: element)
    for name in ["runWith", "runOrder"] where attributes[name] != nil {
      throw ChangelogError(
        .refused, "\(name) is not supported.", at: place(element),
        write: "the changeset without \(name), where it is to run")
    }
    var inverse: [Change] = []
    var hasInverse = false
    for child in element.children {
      switch child.name {
      case "comment": changeset.comment = child.text.trimmed
      case "validCheckSum": changeset.validChecksums.append(child.text.trimmed)
      case "preConditions": changeset.preconditions = try XMLPreconditions.read(child, path)
      case "rollback":
        hasInverse = true
        if let id = child.attributes["changeSetId"],
          let author = child.attributes["changeSetAuthor"]
        {
          changeset.rollback = .changeset(
            id: id, author: author, path: child.attributes["changeSetPath"], place(child))
        }
        for part in child.children { inverse.append(try change(part)) }
        if !child.text.trimmed.isEmpty { inverse.append(try sql(child)) }
      default: changeset.changes.append(try change(child))
      }
    }
    guard !changeset.changes.isEmpty else {
      throw ChangelogError(
        .refused, "The changeset has no change.", at: changeset.place, write: "<sql>…</sql>")
    }
    if hasInverse, case .missing = changeset.rollback {
      changeset.rollback = inverse.isEmpty ? .nothing : .sql(inverse)
    }
    // A tag is taken back with its row.
    if changeset.tag != nil, changeset.changes.count == 1, !hasInverse {
      changeset.rollback = .nothing
    }
    return changeset
  }

  private static func attributes(of element: XMLElement) -> Attributes {
    var attributes = Attributes()
    attributes.contexts = element.attributes["contextFilter"] ?? element.attributes["context"]
    attributes.labels = element.attributes["labels"]
    attributes.dbms = element.attributes["dbms"]
    attributes.runsAlways = element.flag("runAlways") ?? false
    attributes.runsOnChange = element.flag("runOnChange") ?? false
    attributes.isInTransaction = element.flag("runInTransaction") ?? true
    attributes.failsOnError = element.flag("failOnError") ?? true
    attributes.isIgnored = element.flag("ignore") ?? false
    return attributes
  }

  private func change(_ element: XMLElement) throws(ChangelogError) -> Change {
    switch element.name {
    case "sql": return try sql(element)
    case "sqlFile":
      guard let file = element.attributes["path"], !file.isEmpty else {
        throw ChangelogError(
          .refused, "<sqlFile> names no file.", at: place(element), write: "<sqlFile path=\"…\"/>")
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
          .refused, "<tagDatabase> names no tag.", at: place(element),
          write: "<tagDatabase tag=\"…\"/>")
      }
      return Change(try text("", element), SplitOptions(), .tag(tag))
    default: throw refusal(element)
    }
  }

  private func sql(_ element: XMLElement) throws(ChangelogError) -> Change {
    // The comment of an <sql> is a note for its reader.
    let options = SplitOptions(
      splitsStatements: element.flag("splitStatements") ?? true,
      stripsComments: element.flag("stripComments") ?? false,
      endDelimiter: element.attributes["endDelimiter"])
    return Change(try text(element.text, element), options, dbms: element.attributes["dbms"])
  }

  private func text(_ text: String, _ element: XMLElement) throws(ChangelogError) -> Body {
    Body(whole: try SourceText(path: path, Array(text.utf8)), line: element.line)
  }
}
