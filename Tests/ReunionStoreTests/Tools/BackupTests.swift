import Foundation
import ReunionCore
import ReunionTools
import Testing

@testable import ReunionStore

/// Backups made while a store is in use, restored, and looked through.
@Suite struct BackupTests {
  private func filled(_ store: Store, _ count: Int) throws -> [BlobReference] {
    try (0..<count).map { number in
      let blob = try store.blobs.add(Array("blob \(number) of \(count)".utf8))
      try store.write(in: space) { transaction in
        try transaction.create(Photo.self) {
          $0.caption = "No. \(number)"
          $0.original = blob
        }
      }
      return blob
    }
  }

  @Test func `a backup made while others write is one moment, and restores to an equal store`()
    async throws
  {
    let (folder, backup, restored) = (Folder(), Folder(), Folder())
    let store = try folder.open()
    let blobs = try filled(store, 20)
    try store.write(in: space) {
      try $0.delete(Photo.self, #require(try store.fetch(Query<Photo>(in: space)).first).id)
    }
    let writing = Task.detached {
      // Two fields of one record that are always equal: half a commit would show.
      var photo = Photo(id: store.newID())
      try store.write(in: space) { try $0.create(photo) }
      for number in 1...200 where !Task.isCancelled {
        photo.width = number
        photo.huge = Int64(number)
        try store.write(in: space) { [photo] in try $0.update(photo) }
      }
    }
    let report = try Backup.make(of: folder.path, in: backup.path)
    writing.cancel()
    _ = try? await writing.value
    #expect(report.blobs == 20 && report.copiedBlobs == 20 && report.lost.isEmpty)

    let back = try Backup.restore(backup.path, to: restored.path)
    #expect(back.records == report.records && back.blobs == 20)
    #expect(try Verification(folder: restored.path).isSound)
    let copy = try restored.open()
    #expect(copy.site.device == store.site.device && copy.site != store.site)
    for photo in try copy.fetch(Query<Photo>(in: space)) {
      #expect(Int64(photo.width) == photo.huge)
    }
    for blob in blobs { #expect(try copy.blobs.byteCount(of: blob.hash) == blob.byteCount) }
    try copy.pull(from: store)
    #expect(try copy.digest(of: space) == store.digest(of: space))
  }

  /// SQLite keeps two megabytes of a new file in memory, and writes what is over that before the header.
  @Test func `a backup of more than SQLite keeps in memory is whole`() throws {
    let (folder, backup, restored) = (Folder(), Folder(), Folder())
    let store = try folder.open()
    try store.write(in: space) { transaction in
      for number in 0..<8000 {
        try transaction.create(Photo.self) {
          $0.caption = "No. \(number) " + String(repeating: "long ", count: 200)
        }
      }
    }
    #expect(try Backup.make(of: folder.path, in: backup.path).records == 8000)
    #expect(try Verification(folder: backup.path).isSound)
    #expect(try Backup.restore(backup.path, to: restored.path).records == 8000)
    #expect(try restored.open().digest(of: space) == store.digest(of: space))
  }

  @Test func `a second backup copies what is new, and loses nothing when it is broken off`() throws
  {
    let (folder, backup) = (Folder(), Folder())
    let store = try folder.open()
    _ = try filled(store, 5)
    _ = try Backup.make(of: folder.path, in: backup.path)
    let before = try Verification(folder: backup.path)
    _ = try filled(store, 7)
    // What a crash on the way leaves: a copy that was never finished, and a mark before its time.
    try Data("half".utf8).write(to: URL(filePath: backup.path + "/store.sqlite.new"))
    let mark = URL(filePath: backup.path + "/backup")
    try (Data(contentsOf: mark) + Data("12345678".utf8)).write(to: mark)
    #expect(try Verification(folder: backup.path) == before)
    let report = try Backup.make(of: folder.path, in: backup.path)
    #expect(report.blobs == 12 && report.copiedBlobs == 7)
    #expect(report.records == 12)
    #expect(try Verification(folder: backup.path).isSound)
    let again = try Backup.make(of: folder.path, in: backup.path)
    #expect(again.copiedBlobs == 0)
  }

  @Test func `a blob that is damaged in the store is told, and not in the backup`() throws {
    let (folder, backup) = (Folder(), Folder())
    let store = try folder.open()
    let blobs = try filled(store, 3)
    try Data("other".utf8).write(to: URL(filePath: store.blobs.path(of: blobs[0].hash)))
    try FileManager.default.removeItem(atPath: store.blobs.path(of: blobs[1].hash))
    let look = try Verification(folder: folder.path)
    #expect(Set(look.damaged) == [blobs[0].hash, blobs[1].hash])
    #expect(look.blobs == 1 && !look.isSound && look.damage == nil)
    let report = try Backup.make(of: folder.path, in: backup.path)
    #expect(Set(report.lost) == [blobs[0].hash, blobs[1].hash])
    let copy = try Verification(folder: backup.path)
    #expect(copy.isSound && Set(copy.missing) == [blobs[0].hash, blobs[1].hash])
  }

  @Test func `a flipped bit in the database is found, and is not copied over a good backup`() throws
  {
    let (folder, backup) = (Folder(), Folder())
    do {
      let store = try folder.open()
      _ = try filled(store, 50)
      _ = try Backup.make(of: folder.path, in: backup.path)
      try store.close()
    }
    let good = try Data(contentsOf: URL(filePath: backup.path + "/store.sqlite"))
    var bytes = try Data(contentsOf: URL(filePath: folder.database))
    bytes[bytes.count - 2000] ^= 4
    try bytes.write(to: URL(filePath: folder.database))
    #expect(try Verification(folder: folder.path).damage != nil)
    #expect(throws: StoreError.self) { try Backup.make(of: folder.path, in: backup.path) }
    #expect(try Data(contentsOf: URL(filePath: backup.path + "/store.sqlite")) == good)
    #expect(try Verification(folder: backup.path).isSound)
  }

  @Test func `no folder of something else is written to`() throws {
    let (folder, other) = (Folder(), Folder())
    let store = try folder.open()
    _ = try filled(store, 1)
    try FileManager.default.createDirectory(atPath: other.path, withIntermediateDirectories: true)
    let file = URL(filePath: other.path + "/thesis.txt")
    try Data("mine".utf8).write(to: file)
    #expect(throws: StoreError.self) { try Backup.make(of: folder.path, in: other.path) }
    #expect(throws: StoreError.self) { try Backup.restore(folder.path, to: other.path) }
    #expect(throws: StoreError.self) { try Backup.make(of: other.path, in: folder.path) }
    #expect(try Data(contentsOf: file) == Data("mine".utf8))
    #expect(try contents(other.path) == ["thesis.txt"])
  }

  @Test func `a backup that was used as a store is not replaced`() throws {
    let (folder, backup) = (Folder(), Folder())
    let store = try folder.open()
    _ = try filled(store, 1)
    _ = try Backup.make(of: folder.path, in: backup.path)
    // As a program of before backups were refused would use it.
    let mark = URL(filePath: backup.path + "/backup")
    let nonces = try Data(contentsOf: mark)
    try FileManager.default.removeItem(at: mark)
    do {
      let used = try backup.open()
      _ = try filled(used, 2)
      try used.close()
    }
    try nonces.write(to: mark)
    #expect(throws: StoreError.self) { try Backup.make(of: folder.path, in: backup.path) }
    try FileManager.default.removeItem(at: mark)
    #expect(try backup.open().fetch(Query<Photo>(in: space)).count == 3)
  }

  @Test func `a backup is not opened as a store, but to be read, and is as it was then`() throws {
    let (folder, backup, restored) = (Folder(), Folder(), Folder())
    let store = try folder.open()
    _ = try filled(store, 1)
    _ = try Backup.make(of: folder.path, in: backup.path)
    let before = try Data(contentsOf: URL(filePath: backup.path + "/store.sqlite"))
    let names = try contents(backup.path)
    #expect(isCode(.isBackup) { _ = try backup.open() })
    #expect(isCode(.isBackup) { _ = try Store.open(existing: backup.path) })
    #expect(isCode(.isBackup) { try Store.requireOwnFolder(backup.path) })
    #expect(try contents(backup.path) == names)
    #expect(try backup.open { $0.isReadOnly = true }.fetch(Query<Photo>(in: space)).count == 1)
    #expect(try Data(contentsOf: URL(filePath: backup.path + "/store.sqlite")) == before)
    _ = try filled(store, 1)
    _ = try Backup.make(of: folder.path, in: backup.path)
    _ = try Backup.restore(backup.path, to: restored.path)
    #expect(try restored.open().fetch(Query<Photo>(in: space)).count == 2)
    // A folder of that name in a store is none of this.
    try FileManager.default.createDirectory(
      atPath: restored.path + "/backup", withIntermediateDirectories: true)
    try Store.requireOwnFolder(restored.path)
  }

  @Test func `nothing is copied into what is copied, or around it, whatever links lead there`()
    throws
  {
    let (folder, other) = (Folder(), Folder())
    _ = try filled(try folder.open(), 1)
    try FileManager.default.createSymbolicLink(
      atPath: other.path, withDestinationPath: folder.path)
    let before = try contents(folder.path)
    let name = URL(filePath: folder.path).lastPathComponent
    for target in [
      folder.path, folder.path + "/", folder.path + "/new", folder.path + "/../\(name)/new/deep/",
      other.path, other.path + "/new", URL(filePath: folder.path).deletingLastPathComponent().path,
    ] {
      #expect(
        isCode(.notWritable) { _ = try Backup.make(of: folder.path, in: target) }, "\(target)")
      #expect(isCode(.notWritable) { _ = try Backup.restore(folder.path, to: target) })
      #expect(isCode(.notWritable) { _ = try Archive.export(folder.path, to: target) })
      #expect(isCode(.notWritable) { _ = try Salvage.make(of: folder.path, in: target) })
    }
    #expect(try contents(folder.path) == before)
    // Beside it, under a name that begins alike (negative control).
    _ = try Backup.make(of: folder.path, in: folder.path + "-copy")
    try FileManager.default.removeItem(atPath: folder.path + "-copy")
    try FileManager.default.removeItem(atPath: other.path)
  }

  private func contents(_ path: String) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: path))
  }
}
