import Foundation
import ReunionCore
import ReunionDisk
import ReunionFlow
import ReunionTools
import Testing

@testable import ReunionStore

/// Stock SQLite beside a store: its own shell, as a process of its own.
@Suite struct ForeignProgramTests {
  let folder = Folder()

  struct Answer: Equatable {
    let status: Int32
    let output: String
    let errors: String
  }

  /// What the `sqlite3` program answers.
  private func shell(_ path: String, _ commands: String...) throws -> Answer {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["sqlite3", "-bail", path] + commands
    let (output, errors) = (Pipe(), Pipe())
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    let complaint = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus != 127, "sqlite3 is missing: Scripts/packages.sh test")
    return Answer(
      status: process.terminationStatus,
      output: String(decoding: said, as: UTF8.self).trimmingCharacters(in: .newlines),
      errors: String(decoding: complaint, as: UTF8.self))
  }

  private func write(_ count: Int, in store: Store) throws {
    for _ in 0..<count {
      try store.write(in: space) { transaction in
        var photo = Photo(id: transaction.newID())
        photo.caption = "harbour"
        try transaction.create(photo)
      }
    }
  }

  private let count = "SELECT count(*) FROM reunion_record_3"

  /// Writes, has the shell look, and writes on; says what is there after the next opening.
  private func look(bugs: SeededBugs) throws -> Int {
    let store = try folder.open { $0.seededBugs = bugs }
    try write(3, in: store)
    let answer = try shell(folder.database, count)
    #expect(answer == Answer(status: 0, output: "3", errors: ""))
    try write(50, in: store)
    try store.close()
    let found = try folder.open().fetch(Query<Photo>(in: space)).count
    let look = try Verification(folder: folder.path)
    return look.isSound && look.records == found ? found : -1
  }

  @Test func `a look by the sqlite3 shell leaves a store in use as it is`() throws {
    #expect(try look(bugs: []) == 53)
  }

  @Test func `a database that is opened beside SQLite is lost to a look (negative control)`() {
    do {
      let found = try look(bugs: [.databaseOpenedBeside])
      #expect(found != 53)
      print("caught databaseOpenedBeside: \(found) of 53 records")
    } catch {
      print("caught databaseOpenedBeside: \(error)")
    }
  }

  @Test func `the shell reads and backs up a store that is being written, and each copy is whole`()
    throws
  {
    let store = try folder.open { $0.checkpointPages = 40 }
    try write(1, in: store)
    let written = Lock(1)
    let isDone = Lock(false)
    let failure = Lock<String?>(nil)
    let ended = DispatchSemaphore(value: 0)
    let writer = Thread {
      do {
        while !isDone.withLock({ $0 }) {
          try self.write(1, in: store)
          written.withLock { $0 += 1 }
        }
      } catch {
        failure.withLock { $0 = "\(error)" }
      }
      ended.signal()
    }
    writer.start()
    for _ in 0..<8 {
      let before = written.withLock { $0 }
      let copy = Folder()
      try FileManager.default.createDirectory(atPath: copy.path, withIntermediateDirectories: true)
      #expect(try shell(folder.database, ".backup '\(copy.database)'").errors == "")
      let counted = try shell(folder.database, count)
      #expect(counted.errors == "")
      let (copied, seen) = (
        try shell(copy.database, count, "PRAGMA integrity_check"), Int(counted.output) ?? 0
      )
      let lines = copied.output.split(separator: "\n").map(String.init)
      #expect(lines.last == "ok")
      #expect((before...seen).contains(lines.first.flatMap { Int($0) } ?? 0))
    }
    isDone.withLock { $0 = true }
    ended.wait()
    #expect(failure.withLock { $0 } == nil)
    try store.close()
    let total = written.withLock { $0 }
    #expect(try folder.open().count(Query<Photo>(in: space)) == total)
    #expect(try Verification(folder: folder.path).isSound)
    print("faults: 8 looks and 8 backups by sqlite3 while \(total) commits were written: 0 lost")
  }

  @Test func `another program can neither write nor take the log while a store is open`() throws {
    try write(30, in: folder.open())
    let store = try folder.open()
    for round in 0..<2 {
      let update = try shell(folder.database, "UPDATE reunion_record_3 SET alive = 0")
      #expect(update.status != 0 && update.errors.contains("locked"), "\(update)")
      let taken = try shell(folder.database, "PRAGMA wal_checkpoint(TRUNCATE)")
      #expect(taken.output.hasPrefix("1|"), "\(taken)")
      if round == 0 { try write(5, in: store) }
    }
    try store.close()
    #expect(try folder.open().fetch(Query<Photo>(in: space)).count == 35)
  }

  /// Expects the sentence with both causes and both remedies of whoever reads a store.
  private func expectRefusal(_ folder: Folder) throws {
    let error = #expect(throws: StoreError.self) {
      let store = try folder.open()
      _ = try store.fetch(Query<Photo>(in: space))
      _ = try store.digest(of: space)
    }
    let sentence = error?.message ?? ""
    #expect(error?.code == .damaged)
    for word in ["sqlite3", "damaged", "reunion adopt", "reunion salvage"] {
      #expect(sentence.contains(word), "\(sentence)")
    }
    let found = try Verification(folder: folder.path)
    #expect(!found.isSound)
    #expect(found.damage?.contains("reunion adopt") == true, "\(found.damage ?? "")")
  }

  @Test func `a store whose log the shell took after a crash is refused, and adopted`() throws {
    let store = try folder.open()
    try write(40, in: store)
    let digest = try store.digest(of: space)
    // As a crash leaves it.
    let crashed = try folder.copy()
    try store.close()
    #expect(try shell(crashed.database, count).output == "40")
    #expect(!FileManager.default.fileExists(atPath: crashed.database + "-wal"))
    try expectRefusal(crashed)
    let before = try Data(contentsOf: URL(filePath: crashed.database))
    let report = try Adoption.adopt(crashed.path)
    #expect(report.records == 40)
    #expect(try Data(contentsOf: URL(filePath: report.kept)) == before)
    let adopted = try crashed.open()
    #expect(try adopted.digest(of: space) == digest)
    #expect(adopted.site != store.site && adopted.site.device == store.site.device)
    try write(1, in: adopted)
    try adopted.close()
    #expect(try Verification(folder: crashed.path).isSound)
    // Again, it keeps what was kept.
    let second = try Adoption.adopt(crashed.path)
    #expect(second.records == 41 && second.kept != report.kept)
  }

  @Test func `a store that the shell wrote to is refused, and adopted with what it wrote`() throws {
    let store = try folder.open()
    try write(40, in: store)
    try store.close()
    let answer = try shell(folder.database, "UPDATE reunion_record_3 SET f1 = 'by hand'")
    #expect(answer.errors == "")
    try expectRefusal(folder)
    #expect(try Adoption.adopt(folder.path).records == 40)
    let captions = try folder.open().fetch(Query<Photo>(in: space)).map(\.caption)
    #expect(Set(captions) == ["by hand"])
  }

  @Test(arguments: [
    "CREATE TRIGGER t AFTER INSERT ON reunion_record_3 BEGIN DELETE FROM reunion_blob; END",
    "DROP TABLE reunion_blob; CREATE VIEW reunion_blob AS WITH RECURSIVE c(hash, byte_count) AS"
      + " (VALUES(x'00', 1) UNION ALL SELECT hash, byte_count FROM c) SELECT * FROM c",
  ])
  func `a store with a trigger, or a view in place of a table, is refused everywhere`(
    _ sql: String
  ) throws {
    let store = try folder.open()
    try write(4, in: store)
    try store.close()
    #expect(try shell(folder.database, sql).errors == "")
    func expectForeign(_ body: () throws -> Void) {
      do {
        try body()
        Issue.record("It was taken: \(sql)")
      } catch {
        #expect("\(error)".contains("that no store has"), "\(error)")
      }
    }
    expectForeign { _ = try Adoption.adopt(folder.path) }
    // With checksums, as an earlier adopt would have left it.
    let copy = Folder()
    _ = try copy.open()
    let connection = try DatabaseConnection(path: copy.database, on: SystemDisk.system)
    for statement in sql.split(separator: "; ", maxSplits: sql.hasPrefix("DROP") ? 1 : 0) {
      try connection.execute(String(statement))
    }
    connection.close()
    expectForeign { _ = try Backup.make(of: copy.path, in: Folder().path) }
    expectForeign { _ = try Archive.export(copy.path, to: Folder().path) }
    #expect(try Verification(folder: copy.path).damage?.contains("that no store has") == true)
    #expect(try !Verification(folder: copy.path).isSound)
  }

  @Test func `a backup that the shell made becomes a store when it is adopted`() throws {
    let store = try folder.open()
    try write(40, in: store)
    let copy = Folder()
    try FileManager.default.createDirectory(atPath: copy.path, withIntermediateDirectories: true)
    #expect(try shell(folder.database, ".backup '\(copy.database)'").status == 0)
    #expect(try Adoption.adopt(copy.path).records == 40)
    let adopted = try copy.open()
    #expect(try adopted.digest(of: space) == store.digest(of: space))
    #expect(adopted.site != store.site)
  }

  @Test func `a damaged table, a store in use, a backup and no store are not adopted`() throws {
    let store = try folder.open()
    try write(200, in: store)
    #expect(isCode(.inUse) { _ = try Adoption.adopt(folder.path) })
    let backup = Folder()
    _ = try Backup.make(of: folder.path, in: backup.path)
    #expect(isCode(.isBackup) { _ = try Adoption.adopt(backup.path) })
    #expect(isCode(.notFound) { _ = try Adoption.adopt(folder.path + "/blobs") })
    try store.close()
    var bytes = try Data(contentsOf: URL(filePath: folder.database))
    // The number of cells of a page in the middle.
    bytes[bytes.count / 4096 / 2 * 4096 + 3] ^= 0x55
    try bytes.write(to: URL(filePath: folder.database))
    #expect(isCode(.damaged) { _ = try Adoption.adopt(folder.path) })
    #expect(try Data(contentsOf: URL(filePath: folder.database)) == bytes)
  }

  @Test func `a disk refuses to open a database that SQLite has open`() throws {
    let store = try folder.open()
    let error = #expect(throws: StoreError.self) {
      _ = try SystemDisk.system.open(folder.database, .reading)
    }
    #expect(error?.code == .unexpected)
    try store.close()
    #expect(try SystemDisk.system.open(folder.database, .reading).byteCount() > 0)
  }
}
