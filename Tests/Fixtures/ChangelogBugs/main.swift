import Foundation
import ReunionChangelog
import ReunionChangelogPostgres

// Updates a PostgreSQL database as the program does, with a bug that tests must catch:
// changelog-bugs half|lockless|forgetful URL FOLDER CHANGELOG
let words = CommandLine.arguments
guard words.count == 5, let bug = BuggyDatabase.Bug(rawValue: words[1]) else { exit(2) }
do {
  let database = BuggyDatabase(try PostgresDatabase(url: words[2]), bug)
  let selection = try Selection(dialect: .postgresql)
  let changelog = try ChangelogReader.read(words[4], in: Files(folder: words[3]), selection)
  _ = try ChangelogRun(changelog, on: database, selection).update()
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
