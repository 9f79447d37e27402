import Foundation
import Testing

@testable import ReunionChangelog

#if canImport(Glibc)
  import Glibc
#endif

/// Large files are run in little memory.
@Suite(.serialized) struct LargeFileFaultTests {
  /// The most memory that a program had at once, in MiB.
  private static func peak(_ program: Program) throws -> (mebibytes: Int, Program.Result) {
    // The kernel's mark of the highest; it is gone once the process is.
    let status = "/proc/\(program.process.processIdentifier)/status"
    var most = 0
    try eventually("the run is over", within: .seconds(600), every: .milliseconds(2)) {
      if let text = try? String(contentsOfFile: status, encoding: .utf8),
        let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
        let kibibytes = Int(line.filter(\.isNumber))
      {
        most = max(most, kibibytes >> 10)
      }
      return !program.process.isRunning
    }
    return (most, try program.wait())
  }

  /// The same of a run. It runs again if the test saw no more than `least`: on a busy machine it
  /// may look too late.
  private static func peak(
    above least: Int, of run: () throws -> (Workbench, Program)
  ) throws -> (Workbench, mebibytes: Int, Program.Result) {
    var tries = 0
    while true {
      let (bench, program) = try run()
      let (peak, result) = try peak(program)
      tries += 1
      if peak > least || tries == 20 { return (bench, peak, result) }
    }
  }

  enum Shape: String, CaseIterable {
    /// One changeset with many statements.
    case statements
    /// Many changesets.
    case changesets
    /// One changeset with one statement as long as may be, and others.
    case statement
    /// One changeset with one statement that is too long.
    case tooLong
  }

  private static func write(_ shape: Shape, _ mebibytes: Int, to file: URL) throws {
    var text = "--liquibase formatted sql\n--changeset a:0\ncreate table a (n int, t text);\n"
    let filler = String(repeating: "x", count: 950)
    let lines = mebibytes * 1024 * 1024 / 1000
    if shape != .changesets { text += "--changeset a:1\n" }
    let longest = (SQLStatement.bytesMax - 1000) / 1000
    // The last line of the first statement, which has all of them where it is too long.
    let last = shape == .tooLong ? lines : min(lines, longest)
    if shape == .statement || shape == .tooLong { text += "insert into a values\n" }
    var data = Data(text.utf8)
    for number in 1...lines {
      switch shape {
      case .statement where number <= last, .tooLong:
        data.append(Data("(\(number), '\(filler)')\(number == last ? ";" : ",")\n".utf8))
      case .statements, .statement:
        data.append(Data("insert into a values (\(number), '\(filler)');\n".utf8))
      case .changesets:
        if number % 50 == 1 { data.append(Data("--changeset b:\(number)\n".utf8)) }
        data.append(Data("insert into a values (\(number), '\(filler)');\n".utf8))
      }
    }
    try data.write(to: file)
  }

  @Test(arguments: [Shape.statements, .changesets, .statement])
  func `a file of 64 MiB is run in 200 MiB`(shape: Shape) throws {
    let mebibytes = FaultCount.of(slice: 8, full: 64)
    let (bench, peak, result) = try Self.peak(above: mebibytes) {
      let bench = try Workbench()
      try Self.write(shape, mebibytes, to: bench.folder.appending(path: "c.sql"))
      return (bench, try Self.update(bench))
    }
    #expect(result.status == 0, "\(result.errors.prefix(500))")
    #expect(try bench.query("SELECT count(*) FROM a") == ["\(mebibytes * 1024 * 1024 / 1000)"])
    let most = FaultCount.of(slice: 80, full: 200)
    #expect(peak > mebibytes && peak <= most, "\(shape): \(peak) MiB")
    print("faults: \(mebibytes) MiB, \(shape.rawValue): run in \(peak) MiB")
  }

  @Test func `a statement of more than 24 MiB is refused in a sentence, before anything is run`()
    throws
  {
    let bench = try Workbench()
    let mebibytes = FaultCount.of(slice: 26, full: 64)
    try Self.write(.tooLong, mebibytes, to: bench.folder.appending(path: "c.sql"))
    let (peak, result) = try Self.peak(Self.update(bench))
    #expect(result.status == 3)
    #expect(result.errors.contains("c.sql:5: The statement has more than 24 MiB"))
    #expect(result.errors.contains("Write: several statements"))
    #expect(try bench.query("SELECT count(*) FROM sqlite_schema") == ["0"])
    #expect(peak <= 200, "\(peak) MiB")
    print("faults: \(mebibytes) MiB in one statement: refused in \(peak) MiB")
  }

  private static func update(_ bench: Workbench) throws -> Program {
    try Program(
      "reunion-changelog", ["update", "--url", "sqlite:app.db", "--changelog", "c.sql"],
      in: bench.folder)
  }

  @Test func `a reader that copies what it reads is seen (negative control)`() throws {
    let mebibytes = FaultCount.of(slice: 24, full: 64)
    let most = FaultCount.of(slice: 80, full: 200)
    let (_, peak, result) = try Self.peak(above: most) {
      let bench = try Workbench()
      try Self.write(.statements, mebibytes, to: bench.folder.appending(path: "c.sql"))
      let words = ["copies", "none", bench.folder.path, "c.sql"]
      return (bench, try Program("changelog-bugs", words, in: bench.folder))
    }
    #expect(result.status == 0 && peak > most, "\(peak) MiB")
  }
}
