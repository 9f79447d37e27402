import Foundation
import ReunionChangelog
import ReunionChangelogPostgres

// Updates a database as the program does, with a bug that tests must catch:
// changelog-bugs BUG URL FOLDER CHANGELOG
let words = CommandLine.arguments
guard words.count == 5 else { exit(2) }
let file = words[3] + "/" + words[4]
if words[1] == "copies" {
  // Reads a file as one would that copies what it reads.
  let bytes = Array(try Data(contentsOf: URL(filePath: file)))
  let copies = (0..<4).map { number in bytes.map { $0 &+ UInt8(number) } }
  print(copies.reduce(0) { $0 + Int($1[$1.count / 2]) })
  exit(0)
}
guard let bug = BuggyDatabase.Bug(rawValue: words[1]) else { exit(2) }
do {
  let isSQLite = words[2].hasPrefix("sqlite:")
  let database: any ChangelogDatabase =
    isSQLite
    ? try SQLiteDatabase(String(words[2].dropFirst("sqlite:".count)), mayCreate: true)
    : try PostgresDatabase(url: words[2])
  let selection = try Selection(dialect: database.dialect)
  let changelog = try ChangelogReader.read(words[4], in: Files(folder: words[3]), selection)
  let run = ChangelogRun(
    changelog, on: BuggyDatabase(database, bug), selection,
    report: { event in
      guard case .waiting = event else { return }
      FileHandle.standardOutput.write(Data("waits\n".utf8))
    })
  _ = try run.update()
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
