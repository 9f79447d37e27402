import Foundation
import Testing

@testable import ReunionChangelog
@testable import ReunionChangelogPostgres

/// The longest statement that is taken goes to the server in little memory.
@Suite(.enabled(if: Cluster.hasFifteen, "PostgreSQL 15 is not installed"))
struct LargeStatementFaultTests {
  @Test func `a file of 64 MiB with a statement of 24 MiB is run in 200 MiB`() throws {
    let mebibytes = Cluster.isFull ? 64 : 8
    let filler = String(repeating: "x", count: 950)
    let lines = mebibytes * 1024 * 1024 / 1000
    // The last line of the first statement.
    let last = min(lines, (SQLStatement.bytesMax - 1000) / 1000)
    var data = Data(
      """
      --liquibase formatted sql
      --changeset ann:0
      create table a (n int, t text);
      --changeset ann:1
      insert into a values

      """.utf8)
    for number in 1...lines {
      let row = "(\(number), '\(filler)')"
      let line =
        number <= last ? row + (number == last ? ";" : ",") : "insert into a values \(row);"
      data.append(Data((line + "\n").utf8))
    }
    var peak = 0
    // A busy machine may not look before it is over: then it is run once more.
    for _ in 0..<20 where peak >> 10 <= mebibytes {
      let update = try Update(on: Cluster.fifteen.get())
      defer { update.removeFolder() }
      try data.write(to: update.folder.appending(path: "changelog.sql"))
      let process = try update.start()
      try eventually("the update is over", within: .seconds(600), every: .milliseconds(2)) {
        // The kernel's mark of the highest; it is gone once the process is.
        let status = "/proc/\(process.processIdentifier)/status"
        let text = (try? String(contentsOfFile: status, encoding: .utf8)) ?? ""
        let mark = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        peak = max(peak, mark.flatMap { Int($0.filter(\.isNumber)) } ?? 0)
        return !process.isRunning
      }
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      let database = try PostgresDatabase(url: update.url)
      defer { database.close() }
      #expect(try database.query("SELECT count(*) FROM a") == [["\(lines)"]])
    }
    #expect(peak >> 10 > mebibytes && peak >> 10 <= (Cluster.isFull ? 200 : 80), "\(peak) KiB")
    print(
      "faults: \(mebibytes) MiB, a statement of \((last * 1000) >> 20) MiB: run on PostgreSQL 15 in \(peak >> 10) MiB"
    )
  }
}
