import Foundation
import ReunionCore
import ReunionTools
import Testing

@testable import ReunionStore

/// A store that is not where it was writes under a new incarnation before its first write
/// (guarantee 4).
@Suite struct IdentityTests {
  private let folder = Folder()

  /// A closed store with one record, and the site that wrote it.
  private func made() throws -> Site {
    let store = try folder.open()
    try store.write(in: space) { try $0.create(Photo.self) { $0.caption = "before" } }
    let site = store.site
    try store.close()
    return site
  }

  /// Opens a store, writes, and tells under which site its first change is.
  private func firstWriter(_ folder: Folder) throws -> Site {
    let store = try folder.open()
    let photo = try store.write(in: space) { try $0.create(Photo.self) { $0.caption = "after" } }
    let state = try store.record(entity: 3, photo.id, in: space)
    let site = try #require(state?.creation).dot.site
    #expect(site == store.site)
    #expect(try store.fetch(Query<Photo>(in: space)).count == 2)
    try store.close()
    return site
  }

  private func expectNew(_ site: Site, after old: Site) {
    #expect(site.device == old.device && site.incarnation != old.incarnation)
  }

  @Test func `a restored store mints a new incarnation before its first write`() throws {
    let (backup, restored) = (Folder(), Folder())
    let site = try made()
    _ = try Backup.make(of: folder.path, in: backup.path)
    _ = try Backup.restore(backup.path, to: restored.path)
    expectNew(try firstWriter(restored), after: site)
    // The negative control: a store that was only closed goes on as it was.
    #expect(try firstWriter(folder) == site)
  }

  @Test func `a copied store mints a new incarnation before its first write`() throws {
    let site = try made()
    expectNew(try firstWriter(folder.copy()), after: site)
    #expect(try firstWriter(folder) == site)
  }

  @Test func `a store that was moved to another device mints a new incarnation`() throws {
    let site = try made()
    let moved = Folder(in: FileManager.default.temporaryDirectory.path)
    // As mv does between two disks: a copy, and the original is gone.
    try FileManager.default.copyItem(atPath: folder.path, toPath: moved.path)
    try FileManager.default.removeItem(atPath: folder.path)
    expectNew(try firstWriter(moved), after: site)
  }

  @Test func `a store whose database was replaced by a file of another inode mints one`() throws {
    let site = try made()
    let bytes = try Data(contentsOf: URL(filePath: folder.database))
    // The old file stays, so that its number is not given out again.
    try FileManager.default.moveItem(atPath: folder.database, toPath: folder.path + "/old")
    try bytes.write(to: URL(filePath: folder.database))
    expectNew(try firstWriter(folder), after: site)
  }

  @Test func `a folder that was renamed on its disk is the store that it was`() throws {
    let site = try made()
    let renamed = Folder()
    try FileManager.default.moveItem(atPath: folder.path, toPath: renamed.path)
    #expect(try firstWriter(renamed) == site)
  }

  @Test func `a restored store's fingerprint is that of its backup, and shows any difference`()
    throws
  {
    let (backup, restored) = (Folder(), Folder())
    var random = Seeded(state: 5)
    let store = try RandomStore.make(in: folder, &random)
    _ = try Backup.make(of: folder.path, in: backup.path)
    _ = try Backup.restore(backup.path, to: restored.path)
    let proof = try Fingerprint(folder: backup.path)
    #expect(try Fingerprint(folder: restored.path) == proof)
    #expect(try Fingerprint(folder: folder.path) == proof)
    #expect(proof.blobs > 0 && proof.records > 0 && proof.blobBytes > 0)
    // Negative controls: one more cell, one blob that is damaged.
    let name = try #require(
      FileManager.default.enumerator(atPath: restored.path + "/blobs")?.allObjects
        .compactMap { $0 as? String }.first { $0.count > 60 })
    try Data([0]).write(to: URL(filePath: "\(restored.path)/blobs/\(name)"))
    #expect(try Fingerprint(folder: restored.path) != proof)
    try store.write(in: space) { try $0.create(Photo.self) { _ in } }
    #expect(try Fingerprint(folder: folder.path) != proof)
  }
}
