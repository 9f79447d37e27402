#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import ReunionChangelog
import ReunionCommandLine

/// What the words of the command ask for, beside the verb and its own words.
struct Invocation {
  private(set) var options = RunOptions()
  let url: String?
  let changelogPath: String?
  /// PATH::ID::AUTHOR.
  let changeset: String?
  private(set) var isScript: Bool
  let isVerbose: Bool
  private let contexts: String?
  private let labels: String?
  private let folder: String
  private let parameters: [String: String]
  private let output: Output

  init(_ arguments: inout Arguments, _ output: Output, isScript: Bool) throws {
    self.output = output
    url =
      try arguments.value(of: "--url")
      ?? getenv("REUNION_CHANGELOG_URL").map { String(cString: $0) }
    changelogPath = try arguments.value(of: "--changelog")
    changeset = try arguments.value(of: "--changeset")
    contexts = try arguments.value(of: "--contexts")
    labels = try arguments.value(of: "--labels")
    folder = try arguments.value(of: "--search-path") ?? "."
    let isDry = arguments.take("--dry-run")
    self.isScript = isScript || isDry
    isVerbose = arguments.take("--verbose")
    var parameters: [String: String] = [:]
    for word in try arguments.values(of: "--parameter") {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw Misunderstood("--parameter is NAME=VALUE, and not \(word.onOneLine).")
      }
      parameters[String(parts[0])] = String(parts[1])
    }
    self.parameters = parameters
    try readOptions(&arguments)
  }

  private mutating func readOptions(_ arguments: inout Arguments) throws {
    if let version = try arguments.value(of: "--checksum") {
      guard version == "8" || version == "9" else {
        throw Misunderstood("--checksum is 8 or 9, and not \(version.onOneLine).")
      }
      options.checksumVersion = version == "8" ? 8 : 9
    }
    if let wait = try arguments.value(of: "--lock-wait") {
      options.lockWaitMilliseconds = try Self.milliseconds(wait, "--lock-wait")
    }
    if let after = try arguments.value(of: "--steal-lock-after") {
      options.stealAfterMilliseconds = try Self.milliseconds(after, "--steal-lock-after")
    }
    if let resume = try arguments.value(of: "--resume") {
      guard let resume = RunOptions.Resume(rawValue: resume) else {
        throw Misunderstood("--resume is again or next, and not \(resume.onOneLine).")
      }
      options.resume = resume
    }
    if arguments.take("--adopt-path") { options.adoptsPaths = true }
    if arguments.take("--no-copy") { options.keepsCopy = false }
    options.program = "reunion \(Release.version)"
    options.isStopped = { StopSignal.wasSent }
  }

  /// A time like 30s, 5m or 1h; a bare number is seconds.
  private static func milliseconds(_ text: String, _ option: String) throws(Misunderstood) -> Int64
  {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600]
    let unit = text.last.flatMap { units[$0] }
    let digits = unit == nil ? text[...] : text.dropLast()
    guard let number = Int64(digits), (0...1_000_000).contains(number) else {
      throw Misunderstood("\(option) is a time like 30s, 5m or 1h, and not \(text.onOneLine).")
    }
    return number * (unit ?? 1) * 1000
  }

  /// Has SQL written rather than run.
  mutating func makeScript() { isScript = true }

  // MARK: What they name

  func needURL() throws(Misunderstood) -> String {
    guard let url else {
      throw Misunderstood("Name the database: --url sqlite:FILE, or REUNION_CHANGELOG_URL.")
    }
    return url
  }

  func needChangelog() throws(Misunderstood) -> String {
    guard let changelogPath else { throw Misunderstood("Name the changelog: --changelog FILE.") }
    return changelogPath
  }

  func selection() throws -> Selection {
    let dialect = try url.map { (url) throws(Misunderstood) in try Databases.dialect(of: url) }
    return try Selection(contexts: contexts, labels: labels, dialect: dialect ?? .sqlite)
  }

  func changelog() throws -> Changelog {
    try ChangelogReader.read(
      needChangelog(), in: Files(folder: folder), selection(), parameters: parameters)
  }

  /// The changelog with what the database says of itself, where its files ask for that.
  private func changelog(
    _ changelog: Changelog, on database: any ChangelogDatabase
  ) throws -> Changelog {
    guard changelog.namesDatabase else { return changelog }
    let parameters = try database.parameters().merging(parameters) { $1 }
    return try ChangelogReader.read(
      changelog.path, in: Files(folder: folder), selection(), parameters: parameters)
  }

  /// Opens the database, does something with it, and closes it.
  func withDatabase<Value>(
    mayCreate: Bool = false, _ body: (any ChangelogDatabase) throws -> Value
  ) throws -> Value {
    let database = try Databases.open(needURL(), mayCreate ? (isScript ? .pretend : .make) : .need)
    defer { database.close() }
    return try body(database)
  }

  /// A run of the changelog on the database. All files are read before it is opened.
  func withRun<Value>(
    mayCreate: Bool = false, _ body: (ChangelogRun) throws -> Value
  ) throws -> Value {
    let changelog = try changelog()
    return try withDatabase(mayCreate: mayCreate) { database in
      let printer = EventPrinter(output, isScript: isScript)
      let script: ((String) -> Void)? = isScript ? { output.hand(out: "sql", $0, [:]) } : nil
      return try body(
        ChangelogRun(
          self.changelog(changelog, on: database), on: database, selection(), options,
          script: script, report: printer.report))
    }
  }

  /// A run that needs no files: of what only the history is told.
  func withHistory<Value>(_ body: (ChangelogRun) throws -> Value) throws -> Value {
    try withDatabase { database in
      let printer = EventPrinter(output, isScript: isScript)
      let script: ((String) -> Void)? = isScript ? { output.hand(out: "sql", $0, [:]) } : nil
      return try body(
        ChangelogRun(
          Changelog.none, on: database, selection(), options, script: script,
          report: printer.report))
    }
  }

  /// Makes the file of the changelog, which must not be there yet.
  func create(_ text: String) throws {
    try Files(folder: folder).create(needChangelog(), text)
  }

  /// Counts all of the changelog as run.
  func mark(on database: any ChangelogDatabase) throws -> [ChangesetKey] {
    let printer = EventPrinter(output, isScript: true)
    return try ChangelogRun(
      changelog(changelog(), on: database), on: database, selection(), options,
      report: printer.report
    ).markRan(.all)
  }
}
