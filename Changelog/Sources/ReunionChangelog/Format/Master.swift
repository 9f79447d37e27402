/// A master file: what it includes, and changesets of SQL.
struct Master {
  enum Item {
    case include(Include)
    case property(Property)
    case preconditions(Preconditions)
    case changeset(Changeset)
  }

  /// A value, or a file of them, and what it is for.
  struct Property {
    enum Content {
      case value(name: String, String)
      case file(String)
    }

    let content: Content
    let contexts: String?
    let labels: String?
    let dbms: String?
    let place: Place
  }

  let path: String
  let form: MasterForm
  /// What stands in it, one after the other.
  let entries: [MasterElement]
  private(set) var warnings: [Warning] = []
  let logicalPath: String?

  init(_ path: String, _ bytes: [UInt8], _ form: MasterForm) throws(ChangelogError) {
    self.path = path
    self.form = form
    let root: MasterElement
    if form == .xml {
      root = try .xml(bytes, path)
      guard root.name == "databaseChangeLog" else {
        throw ChangelogError(
          .refused, "\(root.title) is no changelog.", at: Place(path, root.line),
          write: "<databaseChangeLog>")
      }
    } else {
      (root, warnings) = try MasterElement.yaml(SourceText(path: path, bytes), form)
    }
    logicalPath = root.attributes["logicalFilePath"]
    entries = root.children
  }

  /// The entries whose values count before all others: in YAML and JSON properties stand anywhere.
  var firstEntries: [MasterElement] { form == .xml ? [] : entries.filter { $0.name == "property" } }

  func place(_ element: MasterElement) -> Place { Place(path, element.line) }

  /// What an entry says, with its parameters put in; nil where it says nothing.
  mutating func item(_ element: MasterElement) throws(ChangelogError) -> Item? {
    switch element.name {
    case "include", "includeAll": return .include(try include(element))
    case "property": return .property(try property(element))
    case "preConditions":
      let (preconditions, warnings) = try MasterPreconditions.read(element, path)
      self.warnings += warnings
      return .preconditions(preconditions)
    case "changeSet":
      var reader = MasterChangeset(path, logicalPath)
      let changeset = try reader.read(element)
      warnings += reader.warnings
      return .changeset(changeset)
    case "logicalFilePath" where element.isValue, "objectQuotingStrategy" where element.isValue:
      return nil
    case _ where element.isValue:
      warnings.append(
        Warning(place(element), "\(element.name.prefix(80)) is not known, and not read."))
      return nil
    default: throw MasterChangeset.refusal(element, path)
    }
  }

  private func include(_ element: MasterElement) throws(ChangelogError) -> Include {
    let attributes = element.attributes
    let isFolder = element.name == "includeAll"
    let name = isFolder ? "path" : "file"
    guard let target = attributes[name], !target.isEmpty else {
      throw ChangelogError(
        .refused, "\(element.title) names no \(isFolder ? "folder" : "file").",
        at: place(element), write: form.example(element.name, name))
    }
    for unknown in ["filter", "resourceComparator"] where attributes[unknown] != nil {
      throw ChangelogError(
        .refused, "\(unknown) of \(element.title) names a class of Java.", at: place(element),
        write: "an include for each file, in their order: \(form.example("include", "file"))")
    }
    return Include(
      path: target, isFolder: isFolder,
      isRelative: element.flag("relativeToChangelogFile") ?? false,
      inclusion: Changeset.Inclusion(
        contexts: attributes["contextFilter"] ?? attributes["context"],
        labels: attributes["labels"], isIgnored: element.flag("ignore") ?? false),
      needsFiles: element.flag("errorIfMissingOrEmpty") ?? true, place: place(element))
  }

  func property(_ element: MasterElement) throws(ChangelogError) -> Property {
    let attributes = element.attributes
    let content: Property.Content
    if let name = attributes["name"], let value = attributes["value"] {
      content = .value(name: name, value)
    } else if let file = attributes["file"], !file.isEmpty {
      let isRelative = element.flag("relativeToChangelogFile") ?? false
      content = .file(isRelative ? ChangelogReader.join(path, file) : file)
    } else {
      throw ChangelogError(
        .refused, "The property has no name and value, and no file.", at: place(element),
        write: form.example("property", "name", "value"))
    }
    return Property(
      content: content, contexts: attributes["contextFilter"] ?? attributes["context"],
      labels: attributes["labels"], dbms: attributes["dbms"], place: place(element))
  }
}
