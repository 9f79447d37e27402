/// All changesets of a changelog, in the order in which they run.
package struct Changelog: Sendable {
  /// The file that names all others.
  package let path: String
  package var changesets: [Changeset] = []
  package var warnings: [Warning] = []
  /// What must hold before anything is run, as master files say.
  package var preconditions: [Preconditions] = []
  /// Whether a file speaks of `${database.…}`, which only the database knows.
  package var namesDatabase = false

  /// No files, for what only the history is told.
  package static let none = Changelog(path: "")
}

/// Reads a changelog: a file of formatted SQL, or a master file, and all that it includes.
///
/// Nothing is run where one of them cannot be read.
package struct ChangelogReader {
  private let files: Files
  private let selection: Selection
  private var changelog: Changelog
  private var parameters: Parameters
  private var parametersIn46: Parameters
  /// The files that are being read, from the outermost in.
  private var open: [String] = []
  private var inclusions: [Changeset.Inclusion] = []
  /// Files that an `include` names with a slash in front.
  private var slashed: Set<String> = []
  static let masterBytesMax = 16 << 20

  /// Reads a file. The parameters are those of the command.
  package static func read(
    _ path: String, in files: Files, _ selection: Selection,
    parameters: [String: String] = [:]
  ) throws(ChangelogError) -> Changelog {
    let path = files.isThere(path) ? path : files.below(path)
    var reader = ChangelogReader(path, files, selection, parameters)
    try reader.read(path, namedAt: nil)
    return reader.changelog
  }

  private init(
    _ path: String, _ files: Files, _ selection: Selection, _ parameters: [String: String]
  ) {
    self.files = files
    self.selection = selection
    self.parameters = Parameters(parameters)
    parametersIn46 = self.parameters
    changelog = Changelog(path: path)
  }

  // MARK: Files

  private mutating func read(
    _ path: String, namedAt place: Place?
  ) throws(ChangelogError) {
    let key = ChangesetKey.normalized(path)
    guard !open.contains(key) else {
      throw ChangelogError(.refused, "\(path) includes itself.", at: place)
    }
    guard open.count < 64 else {
      throw ChangelogError(.refused, "The files include each other too deeply.", at: place)
    }
    open.append(key)
    defer { open.removeLast() }
    let written = path.split(separator: ".").last ?? ""
    let ending = written.lowercased()
    if written != ending, ending == "sql" || MasterForm(ending: ending) != nil {
      changelog.warnings.append(
        Warning(
          place ?? Place(path, 1),
          "Liquibase leaves \(path) out, because of the capital letters of its ending. Here it is read."
        ))
    }
    if ending == "sql" {
      let source = try SourceText(path: path, files.read(path, namedAt: place))
      note(source.bytes)
      switch FormattedParser.header(of: source) {
      case .known: return try readFormatted(source)
      case .unknownTo46:
        changelog.warnings.append(FormattedParser.warningOfHeader(source))
        return try readFormatted(source)
      case .none: return try addWhole(source)
      }
    }
    guard let form = MasterForm(ending: ending) else {
      throw ChangelogError(
        .refused, "\(path) is neither SQL nor XML, YAML or JSON: other files are not read.",
        at: place ?? Place(path, 1))
    }
    let bytes = try files.read(path, namedAt: place)
    guard bytes.count <= Self.masterBytesMax else {
      throw ChangelogError(
        .refused, "The master file has more than \(Self.masterBytesMax >> 20) MiB.", at: place)
    }
    note(bytes)
    try readMaster(Master(path, bytes, form))
  }

  /// Notes whether a file speaks of what only the database knows.
  private mutating func note(_ bytes: [UInt8]) {
    guard !changelog.namesDatabase else { return }
    let name = Array("${database.".utf8)
    var at = 0
    changelog.namesDatabase = bytes.withUnsafeBufferPointer { bytes in
      while at + name.count <= bytes.count {
        if bytes[at] == name[0], bytes[at..<at + name.count].elementsEqual(name) { return true }
        at += 1
      }
      return false
    }
  }

  private mutating func readFormatted(_ source: SourceText) throws(ChangelogError) {
    var parser = FormattedParser(source, selection, parameters, in46: parametersIn46)
    while let changeset = try parser.next() { add(changeset) }
    parameters = parser.parameters
    changelog.warnings += parser.warnings
  }

  private mutating func readMaster(_ file: Master) throws(ChangelogError) {
    var master = file
    for element in master.firstEntries { try define(master.property(element)) }
    for element in master.entries {
      let isProperty = element.name == "property"
      guard
        let item = try master.item(isProperty ? element : element.expanded(parameters))
      else { continue }
      switch item {
      case .include(let include): try follow(include)
      case .property(let property):
        if master.form == .xml { try define(property) }
      case .preconditions(let preconditions): changelog.preconditions.append(preconditions)
      case .changeset(let changeset): try addMasters(changeset)
      }
    }
    changelog.warnings += master.warnings
  }

  private mutating func define(_ property: Master.Property) throws(ChangelogError) {
    guard try selection.includes(contexts: property.contexts, at: property.place),
      selection.includes(labels: property.labels), selection.includes(dbms: property.dbms)
    else { return }
    var values: [(name: String, value: String)] = []
    switch property.content {
    case .value(let name, let value): values = [(name, value)]
    case .file(let path):
      let file = files.below(parameters.expand(path))
      let source = try SourceText(path: file, files.read(file, namedAt: property.place))
      values = PropertyFile.values(of: source)
    }
    for (name, value) in values {
      parameters.define(name, value)
      parametersIn46.define(name, value)
    }
  }

  /// Adds a changeset of a master file, with the SQL of the files that it names.
  private mutating func addMasters(_ changeset: Changeset) throws(ChangelogError) {
    var changeset = changeset
    try fill(&changeset.changes, at: changeset.place)
    if case .sql(var changes) = changeset.rollback {
      try fill(&changes, at: changeset.place)
      changeset.rollback = .sql(changes)
    }
    add(withSlash(changeset))
  }

  private mutating func fill(
    _ changes: inout [Change], at place: Place
  ) throws(ChangelogError) {
    for index in changes.indices {
      if let file = changes[index].file {
        let path = files.below(file)
        let source = try SourceText(path: path, files.read(path, namedAt: place))
        note(source.bytes)
        changes[index].body = Body(whole: source)
      }
      changes[index].body.parameters = parameters
    }
  }

  private mutating func follow(_ include: Include) throws(ChangelogError) {
    inclusions.append(include.inclusion)
    defer { inclusions.removeLast() }
    var path = parameters.expand(include.path)
    if include.isRelative {
      path =
        include.isFolder
        ? Self.folder(of: include.place.file) + path : Self.join(include.place.file, path)
    }
    let written = path
    path = files.below(path)
    guard include.isFolder else {
      let hasSlash = written.hasPrefix("/") || written.hasPrefix("classpath:/")
      if hasSlash, !path.hasPrefix("/") { slashed.insert(path) }
      return try read(path, namedAt: include.place)
    }
    while path.contains("//") { path = path.replacing("//", with: "/") }
    let all = files.list(path) ?? []
    var found: [String] = []
    for name in all where !open.contains(ChangesetKey.normalized(name)) {
      let ending = name.split(separator: ".").last.map(String.init) ?? ""
      if ending == "sql" || MasterForm(ending: ending) != nil {
        found.append(name)
      } else if ending.lowercased() == "sql" {
        changelog.warnings.append(
          Warning(include.place, "\(name) is not read: the name does not end in .sql."))
      }
    }
    guard !found.isEmpty || !include.needsFiles else {
      throw ChangelogError(
        .refused, "There is no file of a changelog in the folder \(path).", at: include.place)
    }
    for name in found { try read(name, namedAt: include.place) }
  }

  /// The folder of a file with its slash, as Liquibase puts it in front of another.
  private static func folder(of file: String) -> String {
    guard let slash = file.lastIndex(of: "/") else { return "" }
    return String(file[...slash])
  }

  /// A path that begins in the folder of a file.
  static func join(_ file: String, _ path: String) -> String {
    let isAbsolute = file.hasPrefix("/")
    let folder = file.split(separator: "/").dropLast().joined(separator: "/")
    let joined = ChangesetKey.normalized(folder.isEmpty ? path : folder + "/" + path)
    return isAbsolute ? "/" + joined : joined
  }

  // MARK: Changesets

  /// A file of SQL without changesets is one, whose id all such files share.
  private mutating func addWhole(_ source: SourceText) throws(ChangelogError) {
    let body = Body(whole: source)
    guard !body.isBlank else {
      throw ChangelogError(.refused, "The file is empty.", at: Place(source.path, 1))
    }
    if let line = FormattedParser.firstChangeset(of: source) {
      changelog.warnings.append(
        Warning(
          Place(source.path, line),
          "The line begins no changeset: the first line of the file is not --liquibase formatted sql, so "
            + "that all of it is one."))
    }
    var change = Change(body, SplitOptions(splitsStatements: false, stripsComments: false))
    change.body.parameters = parameters
    add(
      withSlash(
        Changeset("raw", "includeAll", in: source.path, at: Place(source.path, 1), [change])))
  }

  /// With the slash in front of its path, which Liquibase keeps but for formatted SQL and folders.
  private func withSlash(_ changeset: Changeset) -> Changeset {
    var changeset = changeset
    if changeset.path == changeset.place.file, slashed.contains(changeset.path) {
      changeset.path = "/" + changeset.path
    }
    return changeset
  }

  private mutating func add(_ changeset: Changeset) {
    var changeset = changeset
    changeset.includedIn = inclusions
    if selection.dialect == .sqlite { changelog.warnings += changeset.warningsOnSQLite }
    changelog.changesets.append(changeset)
  }
}
