import Foundation
import Testing

/// The style that a machine can check: what the formatter says, how long lines are, and that every file
/// is reached by something.
@Suite struct StyleTests {
  @Test func `the formatter has nothing to say`() throws {
    let folders = try Self.words(of: "FORMATTED", in: TidyTests.read("Makefile"))
    #expect(folders.count > 8)
    let run = try Self.run("swift", ["format", "lint", "-s", "-p", "-r"] + folders)
    #expect(
      run.status == 0, "Run make format, and mend what it leaves:\n\(run.output.prefix(2000))")
  }

  /// Line lengths of what no formatter of ours reads; pages and drawn paths are exempt.
  static let lineLengths = [".js": 120, ".mjs": 120, ".py": 120, ".sh": 120, ".c": 110, ".h": 110]

  static func tooLong(_ path: String, _ text: String) -> [Int] {
    guard let most = lineLengths.first(where: { path.hasSuffix($0.key) })?.value else { return [] }
    // What is generated and drawn is one line a shape.
    guard !["land.js", "icons.js"].contains(where: path.hasSuffix) else { return [] }
    let lines: [Substring] = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.filter { lines[$0].count > most }.map { $0 + 1 }
  }

  @Test func `lines fit beside each other`() throws {
    for path in try Self.files() {
      guard Self.lineLengths.keys.contains(where: path.hasSuffix) else { continue }
      let lines = Self.tooLong(path, try TidyTests.read(path))
      #expect(lines.isEmpty, "\(path): lines \(lines) are too long. Break them.")
    }
    #expect(Self.tooLong("a.js", "short\n" + String(repeating: "x", count: 121)) == [2])
  }

  @Test func `each file is reached by a build, a test or a page`() throws {
    let files = try Self.files()
    let texts = try Dictionary(
      uniqueKeysWithValues: files.filter {
        !$0.hasSuffix(".png") && !$0.hasPrefix("Tests/Fixtures/Versions/")
      }.map { ($0, try TidyTests.read($0)) })
    let lost = Self.lost(files, texts)
    #expect(
      lost.isEmpty,
      "Nothing builds, runs or shows \(lost). List each where it belongs, or delete it.")
  }

  @Test func `a file that nothing reaches is seen (negative control)`() {
    let files = [
      "Package.swift", "Tests/Journeys/run.py", "Tests/Journeys/journeys_a.py",
      "Tests/Journeys/journeys_b.py", "Apps/Guides/One/main.swift", "docs/a.png",
    ]
    let texts = [
      "Apps/Package.swift": "(\"other\", \"Other\", [])",
      "Scripts/test.sh": "Tests/Journeys/run.py",
      "Tests/Journeys/run.py": "import journeys_a",
      "Tests/Journeys/journeys_b.py": "import journeys_b",
    ]
    #expect(
      Self.lost(files, texts) == [
        "Apps/Guides/One/main.swift", "Tests/Journeys/journeys_b.py", "docs/a.png",
      ])
  }

  /// The files that no other one names in the way that its kind is reached.
  static func lost(_ files: [String], _ texts: [String: String]) -> [String] {
    let package = texts["Package.swift"] ?? ""
    let apps = texts["Apps/Package.swift"] ?? ""
    let python = texts.filter { $0.key.hasSuffix(".py") }
    let commands = texts.filter {
      $0.key == "Makefile" || $0.key.hasSuffix(".sh") || $0.key.hasSuffix(".swift")
        || $0.key.hasPrefix(".ci/")
    }
    return files.filter { path in
      let name = String(path.split(separator: "/").last ?? "")
      func isNamed(_ what: String, in texts: [String: String]) -> Bool {
        texts.contains { $0.key != path && $0.value.contains(what) }
      }
      switch path {
      case _ where path.hasPrefix("Tests/Journeys/") && name.hasSuffix(".py"):
        let module = name.dropLast(3)
        let imported = python.contains { other in
          other.key != path
            && other.value.split(separator: "\n").contains {
              $0.contains("import") && $0.split { !$0.isLetter && $0 != "_" }.contains(module)
            }
        }
        return !imported && !isNamed(name, in: commands)
      case _ where path.hasPrefix("Apps/Guides/"):
        let folder = path.split(separator: "/")[2]
        return !apps.contains("\"\(folder)\"") && !apps.contains("\"Guides/\(folder)\"")
      case _ where path.hasPrefix("Tests/Fixtures/"):
        let folder = path.split(separator: "/").prefix(3)
        return !package.contains("\"\(folder.joined(separator: "/"))\"")
          && !isNamed(String(folder.last ?? ""), in: commands)
      case _ where path.hasPrefix("Sources/"), _ where path.hasPrefix("Plugins/"):
        return !package.contains("\"\(path.split(separator: "/")[1])\"")
      case _ where path.hasPrefix("Commands/"), _ where path.hasPrefix("C/"):
        let folder = path.split(separator: "/").prefix(2).joined(separator: "/")
        return !package.contains("\"\(folder)\"")
      case _ where path.hasPrefix("Scripts/"):
        return !isNamed(
          name, in: commands.merging(texts.filter { $0.key.hasSuffix(".md") }) { $1 })
      case _ where path.hasSuffix(".png"):
        return !isNamed(name, in: texts)
      default: return false
      }
    }.sorted()
  }

  @Test func `each public error says its sentence as an app shows it`() throws {
    var sources: [String: String] = [:]
    for file in ["Sources", "Commands", "Changelog/Sources"].flatMap({
      TidyTests.swiftFiles(in: $0)
    }) {
      sources[file.path] = try String(contentsOf: file, encoding: .utf8)
    }
    let mute = Self.muteErrors(in: Array(sources.values))
    // A simulated world's is a program's failure, and the wire's is told as a link's.
    #expect(
      mute.subtracting(["Violation", "WireError"]).isEmpty,
      "Let \(mute) be LocalizedError, in LocalizedErrors.swift of its target.")
    let seeded = [
      "public struct Trouble: Error, Sendable {}", "extension OtherTrouble: LocalizedError {",
    ]
    #expect(Self.muteErrors(in: seeded) == ["Trouble"])
  }

  /// The public errors that no extension makes localized.
  static func muteErrors(in sources: [String]) -> Set<String> {
    var errors: Set<String> = []
    var localized: Set<String> = []
    for text in sources {
      for match in text.matches(of: #/public (?:struct|enum) (\w+): Error\b/#) {
        errors.insert(String(match.1))
      }
      for match in text.matches(of: #/extension (?:\w+\.)?(\w+): LocalizedError\b/#) {
        localized.insert(String(match.1))
      }
    }
    return errors.subtracting(localized)
  }

  // MARK: Means

  /// The files of the repository.
  static func files() throws -> [String] {
    let listing = try run("git", ["ls-files", "--cached", "--others", "--exclude-standard"])
    // A link to a folder is no file.
    let files = listing.output.split(separator: "\n").map(String.init).filter {
      var isFolder: ObjCBool = false
      let path = TidyTests.root.appending(path: $0).path
      return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        && !isFolder.boolValue
    }
    try #require(files.count > 500, "git does not list the files: \(listing.output.prefix(200))")
    return files
  }

  /// The words of a variable of the Makefile.
  static func words(of variable: String, in text: String) -> [String] {
    guard let start = text.range(of: "\n\(variable) := ") else { return [] }
    var words = ""
    for line in text[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false) {
      words += line.hasSuffix("\\") ? line.dropLast() + " " : line
      if !line.hasSuffix("\\") { break }
    }
    return words.split(separator: " ").map(String.init)
  }

  /// Runs a program of the machine in the repository's folder; its output and errors as one.
  static func run(_ program: String, _ arguments: [String]) throws -> (
    status: Int32, output: String
  ) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [program] + arguments
    process.currentDirectoryURL = TidyTests.root
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
  }
}
