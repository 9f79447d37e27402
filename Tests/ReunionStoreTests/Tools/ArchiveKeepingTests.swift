import Foundation
import ReunionCore
import Testing

@testable import ReunionStore
@testable import ReunionTools

/// What an archive keeps apart, and what an import and an export leave alone.
@Suite struct ArchiveKeepingTests {
  private let folder = Folder()
  private let archive = Folder()
  private let back = Folder()

  private func files(in path: String) -> Set<String> {
    let all = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return Set(all.filter { !$0.hasPrefix("spaces") })
  }

  @Test func `photos that were deleted are apart from those that are shown`() throws {
    let store = try folder.open()
    let (shown, deleted, unnamed) = (
      try store.blobs.add([1]), try store.blobs.add([2]), try store.blobs.add([3])
    )
    let gone = try store.write(in: space) { transaction in
      _ = try transaction.create(Photo.self) { $0.original = shown }
      return try transaction.create(Photo.self) { $0.original = deleted }
    }
    try store.write(in: space) { try $0.delete(Photo.self, gone.id) }
    _ = try Archive.export(folder.path, to: archive.path)
    let found = files(in: archive.path)
    #expect(found.contains("blobs/photo.original/\(shown.hash.description)"))
    for blob in [deleted, unnamed] {
      #expect(found.contains("blobs/deleted/\(blob.hash.description)"))
      #expect(!found.contains("blobs/photo.original/\(blob.hash.description)"))
    }
    #expect(try Archive.import(archive.path, to: back.path).blobs == 3)
    // As versions before wrote it.
    let tampered = TamperedArchive(path: archive.path)
    let older = Folder()
    try tampered.rename(
      "blobs/deleted/\(deleted.hash.description)",
      to: "blobs/photo.original/\(deleted.hash.description)")
    #expect(try Archive.import(archive.path, to: older.path).blobs == 3)
  }

  private func write(_ text: String, to path: String) throws {
    try FileManager.default.createDirectory(
      atPath: path.parentFolder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: path))
  }

  @Test(arguments: ["precious", "blobs/precious.jpg", "notes/a.txt", "blobs/aa/holiday.jpg"])
  func `a folder with a file IMPORTING and somebody's files is left as it is`(
    name: String
  ) throws {
    _ = try folder.open().write(in: space) { try $0.create(Photo.self) }
    _ = try Archive.export(folder.path, to: archive.path)
    for (mark, isImport) in [("IMPORTING", true), ("UNFINISHED", false)] {
      let target = Folder()
      try write("mine", to: "\(target.path)/\(name)")
      try write("", to: "\(target.path)/\(mark)")
      let before = files(in: target.path)
      #expect(
        isCode(.notWritable) {
          _ =
            isImport
            ? try Archive.import(archive.path, to: target.path)
            : try Archive.export(folder.path, to: target.path)
        })
      #expect(files(in: target.path).subtracting(["lock"]) == before)
      #expect(try String(contentsOfFile: "\(target.path)/\(name)", encoding: .utf8) == "mine")
    }
  }

  @Test func `what an import that was killed left is made anew`() throws {
    let store = try folder.open()
    let blob = try store.blobs.add([7, 7])
    _ = try store.write(in: space) { try $0.create(Photo.self) { $0.original = blob } }
    _ = try Archive.export(folder.path, to: archive.path)
    let name = blob.hash.description
    try write("half", to: "\(back.path)/blobs/\(name.prefix(2))/\(name)")
    try write("half", to: "\(back.path)/store.sqlite.new")
    try write("half", to: "\(back.path)/store.sqlite.new-wal")
    try write("", to: "\(back.path)/IMPORTING")
    #expect(try Archive.import(archive.path, to: back.path).blobs == 1)
    #expect(try Verification(folder: back.path).isSound)
  }

  @Test func `an archive of 20,000 entities comes back`() throws {
    let store = try folder.open()
    try store.write(in: space) { transaction in
      for entity in 1000..<(21_000 as UInt32) {
        try transaction.set(
          field: 1, of: RecordID(high: 1, low: UInt64(entity)), entity: entity, to: .int(1))
      }
    }
    let report = try Archive.export(folder.path, to: archive.path)
    #expect(report.records == 20_000)
    #expect(try Archive.import(archive.path, to: back.path) == report)
  }
}
