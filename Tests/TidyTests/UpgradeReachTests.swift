import Foundation
import Testing

/// No code of an upgrade can delete or move a blob: it has no disk, and no way to the tables of blobs.
@Suite struct UpgradeReachTests {
  private static let folder = "Sources/ReunionStore/Upgrades"
  /// The one file that has a disk, for the folder of snapshots alone.
  private static let snapshot = "UpgradeSnapshot.swift"

  /// What a file of the upgrades must not name: what reaches files, what keeps blobs, and what
  /// writes a record by way of its references.
  private static var reaching: [(name: String, pattern: Regex<Substring>)] {
    [
      ("a disk", #/\b(?:disk|Disk|SystemDisk|DiskFile)\b/#),
      ("the system's files", #/\b(?:FileManager|unlink|rmdir|Glibc|Darwin|Foundation\w*)\b/#),
      ("who keeps blobs", #/\b(?:BlobStore|BlobFiles|BlobParts|BlobKeeper|StoreParts|BlobUse)\b/#),
      ("a writer of references", #/\b(?:writer|records)\.(?:remove|hold|release|mark|unmark)\b/#),
      ("a writer of references", #/\bwriter\.write\((?:record|arrived|StoredRecord)\b/#),
      (
        "a table of blobs, to write to it",
        #/(?:INSERT|REPLACE|UPDATE|DELETE|DROP|ALTER)\b[^"]*reunion_blob\w*/#
      ),
    ]
  }

  /// What a text reaches that it must not, a line each. The seeded bug is there to be refused.
  static func reaches(_ text: String) -> [String] {
    var found: [String] = []
    var isBug = false
    for line in text.split(separator: "\n") {
      let code = line.prefix(upTo: line.firstRange(of: "//")?.lowerBound ?? line.endIndex)
      defer { isBug = code.contains("bugs.upgradeReachesBlobs") }
      if isBug { continue }
      for (name, pattern) in reaching
      where code.contains(pattern.wordBoundaryKind(.simple)) {
        found.append("\(name): \(code)")
      }
    }
    return found
  }

  private func texts() throws -> [String: String] {
    var texts: [String: String] = [:]
    for file in TidyTests.swiftFiles(in: Self.folder) {
      texts[file.lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
    }
    return texts
  }

  @Test func `code of upgrades has no disk, and no way to the tables of blobs`() throws {
    let texts = try texts()
    #expect(texts.count > 10)
    for (name, text) in texts where name != Self.snapshot {
      #expect(Self.reaches(text) == [], "\(name)")
    }
  }

  @Test func `the snapshot's disk is for its own folder`() throws {
    let text = try #require(try texts()[Self.snapshot])
    #expect(text.contains("folder = storeFolder + \"/upgrade\""))
    #expect(!text.contains("blob\"") && !text.contains("blobs\"") && !text.contains("reunion_blob"))
    // Every path that it names begins with that folder, or with a path that does.
    let paths = text.matches(of: #/disk\.\w+\((?:in: )?([^,)]+)/#).map { String($0.output.1) }
    let own = ["folder", "new", "file + end", "\"\\(folder"]
    for path in paths { #expect(own.contains(path), "\(path)") }
    #expect(paths.count >= 5)
  }

  @Test func `a record is moved without its references, and SQLite refuses what names blobs`()
    throws
  {
    let rows = TidyTests.root.appending(path: "Sources/ReunionStore/Rows/RecordWriter.swift")
    let text = try String(contentsOf: rows, encoding: .utf8)
    for function in ["func move(", "private func writeRow("] {
      let start = try #require(text.range(of: function)?.upperBound)
      let body = try #require(text[start...].firstRange(of: "\n  }\n")?.lowerBound)
      for name in ["eferences", "mark", "erase", "reunion_blob"] {
        #expect(!text[start..<body].contains(name), "\(function) names \(name)")
      }
    }
    let upgrade = try #require(try texts()["LayoutUpgrade.swift"])
    #expect(upgrade.contains("connection.refusingWrites(to: UpgradeGuard.outOfReach)"))
    #expect(upgrade.matches(of: #/try performSteps\(/#).count == 1)
    let guarding = try #require(try texts()["UpgradeGuard.swift"])
    for table in ["reunion_blob", "reunion_blob_reference", "reunion_blob_mark"] {
      #expect(guarding.contains("\"\(table)\""))
    }
  }

  @Test(arguments: [
    "import Foundation", "let disk: any Disk", "try disk.remove(path)", "unlink(path)",
    "FileManager.default.removeItem(atPath: path)", "BlobFiles.path(of: hash, in: folder)",
    "try writer.remove(record, space: space)", "try writer.write(record, over: nil, space: space)",
    "try writer.unmark(hash)", "try connection.execute(\"DELETE FROM reunion_blob\")",
    "try connection.execute(\"DROP TABLE reunion_blob_mark\")",
  ])
  func `each way to a blob is seen (negative control)`(line: String) {
    #expect(Self.reaches("func run() {\n  \(line)\n}").count >= 1)
    #expect(Self.reaches("// \(line)").isEmpty)
  }
}
