import ReunionChangelog

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The bytes of a file.
enum SourceBytes {
  static func read(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else { exit(2) }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 128 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    return Array(bytes.prefix(count))
  }
}

// Runs a changelog with a seeded bug, for the tests of what kills and crowds do:
// changelog-runner BUG DATABASE FOLDER CHANGELOG
let words = CommandLine.arguments
guard words.count == 5 else { exit(2) }
if words[1] == "copies" {
  // Holds a file four times, as a reader would that copies what it reads.
  let file = try SourceBytes.read(words[3] + "/" + words[4])
  let copies = (0..<4).map { number in file.map { $0 &+ UInt8(number) } }
  print(copies.reduce(0) { $0 + Int($1[$1.count / 2]) })
  exit(0)
}
do {
  let database = BuggyDatabase(
    try SQLiteDatabase(words[2], mayCreate: true), bug: words[1])
  let selection = try Selection(dialect: .sqlite)
  let changelog = try ChangelogReader.read(words[4], in: Files(folder: words[3]), selection)
  let outcome = try ChangelogRun(changelog, on: database, selection).update()
  print("\(outcome.ran.count) run")
} catch let error as ChangelogError {
  print(error)
  exit(error.kind.exitCode)
}
