/// All changesets of a changelog, in the order in which they run.
package struct Changelog: Sendable {
  /// The file that names all others.
  package let path: String
  package var changesets: [Changeset] = []
  package var warnings: [Warning] = []
  /// What must hold before anything is run, as master files say.
  package var preconditions: [Preconditions] = []

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
  static let masterBytesMax = 16 << 20

  /// Reads a file. The parameters are those of the command.
  package static func read(
    _ path: String, in files: Files, _ selection: Selection,
    parameters: [String: String] = [:]
  ) throws(ChangelogError) -> Changelog {
    var reader = ChangelogReader(path, files, selection, parameters)
    try reader.read(path, namedAt: nil, isRoot: true)
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
    _ path: String, namedAt place: Place?, isRoot: Bool = false
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
    let ending = path.split(separator: ".").last?.lowercased() ?? ""
    switch ending {
    case "sql":
      let source = try SourceText(path: path, files.read(path, namedAt: place))
      if FormattedParser.isFormatted(source) {
        try readFormatted(source)
      } else {
        guard !isRoot else {
          throw ChangelogError(
            .refused, "The file is not formatted SQL.", at: Place(path, 1),
            write: "--liquibase formatted sql")
        }
        try addWhole(source)
      }
    case "xml":
      let bytes = try files.read(path, namedAt: place)
      guard bytes.count <= Self.masterBytesMax else {
        throw ChangelogError(
          .refused, "The master file has more than \(Self.masterBytesMax >> 20) MiB.", at: place)
      }
      try readMaster(path, bytes)
    default:
      throw ChangelogError(
        .refused, "\(path) is neither SQL nor XML: other files are not read.",
        at: place ?? Place(path, 1))
    }
  }

  private mutating func readFormatted(_ source: SourceText) throws(ChangelogError) {
    var parser = FormattedParser(source, selection, parameters, in46: parametersIn46)
    while let item = try parser.next() {
      switch item {
      case .changeset(let changeset): add(changeset)
      case .include(let include):
        parameters = parser.parameters
        try follow(include)
        parser.parameters = parameters
      }
    }
    parameters = parser.parameters
    changelog.warnings += parser.warnings
  }

  private mutating func readMaster(_ path: String, _ bytes: [UInt8]) throws(ChangelogError) {
    let master = try XMLMaster(path, bytes)
    for item in master.items {
      switch item {
      case .include(let include): try follow(include)
      case .property(let name, let value, let filter, let place):
        guard try selection.includes(contexts: filter.contexts, at: place),
          selection.includes(labels: filter.labels), selection.includes(dbms: filter.dbms)
        else { continue }
        parameters.define(name, value)
        parametersIn46.define(name, value)
      case .preconditions(let preconditions): changelog.preconditions.append(preconditions)
      case .changeset(var changeset):
        for index in changeset.changes.indices {
          if let file = changeset.changes[index].file {
            let source = try SourceText(path: file, files.read(file, namedAt: changeset.place))
            changeset.changes[index].body = Body(whole: source)
          }
          changeset.changes[index].body.parameters = parameters
        }
        if case .sql(var changes) = changeset.rollback {
          for index in changes.indices { changes[index].body.parameters = parameters }
          changeset.rollback = .sql(changes)
        }
        add(changeset)
      }
    }
  }

  private mutating func follow(_ include: Include) throws(ChangelogError) {
    inclusions.append(include.inclusion)
    defer { inclusions.removeLast() }
    var path = parameters.expand(include.path)
    if include.isRelative { path = Self.join(include.place.file, path) }
    guard include.isFolder else { return try read(path, namedAt: include.place) }
    let found = files.list(path)?.filter { name in
      let ending = name.split(separator: ".").last?.lowercased() ?? ""
      return ["sql", "xml", "yaml", "yml", "json"].contains(ending)
        && !open.contains(ChangesetKey.normalized(name))
    }
    guard let found, !found.isEmpty || !include.needsFiles else {
      guard include.needsFiles else { return }
      throw ChangelogError(
        .refused, "There is no file of a changelog in the folder \(path).", at: include.place)
    }
    for name in found { try read(name, namedAt: include.place) }
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
    var change = Change(body, SplitOptions(splitsStatements: false, stripsComments: false))
    change.body.parameters = parameters
    add(Changeset("raw", "includeAll", in: source.path, at: Place(source.path, 1), [change]))
  }

  private mutating func add(_ changeset: Changeset) {
    var changeset = changeset
    changeset.includedIn = inclusions
    changelog.changesets.append(changeset)
  }
}
