import CSQLite
import Foundation
import ReunionCore
import ReunionDisk
import Testing

@testable import ReunionStore

@Suite struct OpeningTests {
  let folder = Folder()

  /// A closed store with some records, and the site that wrote them.
  private func fill(_ folder: Folder, count: Int = 3) throws -> Site {
    let store = try folder.open()
    try store.write(in: space) { transaction in
      for number in 0..<count {
        var photo = Photo(id: RecordID(high: 1, low: UInt64(number)))
        photo.caption = String(repeating: "caption \(number) ", count: 20)
        try transaction.create(photo)
      }
    }
    try store.close()
    return store.site
  }

  #if os(Linux)
    @Test func `says so where no folder can be made`() {
      // Regression: it tried to make the folder above for ever.
      #expect(throws: StoreError.self) { try Store.open(folder: "/proc/nope", model: sampleModel) }
      #expect(throws: StoreError.self) {
        try Store.open(folder: "/proc/nope/deeper/still", model: sampleModel)
      }
    }
  #endif

  @Test func `keeps its site, vector, cursors and clock when it is opened again`() throws {
    let other = Folder()
    let site = try fill(folder)
    let peer = try other.open()
    try peer.write(in: space) { try $0.create(Photo(id: peer.newID())) }
    var store = try folder.open()
    #expect(store.site == site)
    try store.pull(from: peer)
    let (vector, arrival) = try (store.vector(of: space), store.arrival(of: space))
    try store.close()
    store = try folder.open { $0.wallMilliseconds = { 5 } }
    #expect(store.site == site)
    #expect(try store.vector(of: space) == vector)
    #expect(try store.arrival(of: space) == arrival)
    let position = try store.position(of: peer.site, in: space)
    guard case .at(let cursor, _) = try peer.resume(from: position, in: space) else {
      return #expect(Bool(false), "the peer has not gone back")
    }
    #expect(try cursor == peer.arrival(of: space))
    #expect(try store.spaces == [space])
    #expect(try store.counts() == (records: 4, blobs: 0))
  }

  @Test func `mints an incarnation after a copy of the folder`() throws {
    let site = try fill(folder)
    let copy = try folder.copy()
    let store = try copy.open()
    #expect(store.site.device == site.device)
    #expect(store.site.incarnation != site.incarnation)
    #expect(try folder.open().site == site)
  }

  @Test func `mints an incarnation after only the database file was put back`() throws {
    let site = try fill(folder)
    let saved = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    let later = try folder.open()
    try later.write(in: space) { try $0.create(Photo(id: later.newID())) }
    try later.close()
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.database))
    try file.write(contentsOf: saved)
    try file.close()
    let store = try folder.open()
    #expect(store.site.device == site.device)
    #expect(store.site.incarnation != site.incarnation)
    #expect(try store.fetch(Query<Photo>(in: space)).count == 3)
  }

  @Test func `writes nothing while it is only read`() throws {
    let site = try fill(folder)
    let before = try folder.snapshot()
    let store = try folder.open()
    #expect(store.site == site)
    #expect(try store.fetch(Query<Photo>(in: space)).count == 3)
    try store.close()
    #expect(try folder.snapshot() == before)
  }

  @Test func `mints an incarnation for a fork found at hello, and keeps it`() throws {
    let site = try fill(folder)
    let store = try folder.open()
    try store.mintIncarnation(after: site, keeping: nil, found: Site(device: 1, incarnation: 1))
    let minted = store.site
    #expect(minted.incarnation != site.incarnation)
    try store.write(in: space) { try $0.create(Photo(id: store.newID())) }
    // The three records of before, issued anew, and one more; each has a creation and 12 fields. Two
    // changes give up the site.
    #expect(try store.vector(of: space)[minted] == 4 * 13 + 2)
    try store.close()
    #expect(try folder.open().site == minted)
  }

  @Test func `does not take a crash between the two places of the nonce for a restore`() throws {
    let site = try fill(folder)
    let path = folder.path + "/identity"
    let nonce = try String(contentsOfFile: path, encoding: .utf8)
    try (nonce + "0011223344556677").write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try folder.open().site == site)
  }

  @Test func `is opened by one at a time`() throws {
    let store = try folder.open()
    #expect(isCode(.inUse) { _ = try folder.open() })
    try store.write(in: space) { try $0.create(Photo(id: store.newID())) }
  }

  /// A process that is being started has the files of its parent for a moment: the lock of a store that could
  /// not be opened stayed for as long.
  @Test func `a lock ends with its holder, even while a child has the file`() throws {
    let path = folder.path + ".lock"
    defer { unlink(path) }
    var file: SystemFile? = try SystemFile(path, .writing)
    #expect(try file?.tryLock() == true)
    let ours = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").first { name in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) == path
    }
    let child = dup(try #require(ours.flatMap { Int32($0) }))
    defer { close(child) }
    let other = try SystemFile(path, .writing)
    #expect(try !other.tryLock())
    file = nil
    #expect(try other.tryLock())
  }

  @Test func `leaves a store of a newer version as it is`() throws {
    _ = try fill(folder)
    let connection = try DatabaseConnection(path: folder.database, on: .system)
    try connection.execute("PRAGMA user_version = \(DatabaseSchema.version + 1)")
    connection.close()
    let before = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    #expect(isCode(.newerVersion) { _ = try folder.open() })
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.database)) == before)
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everything"))
  func `says that a folder is not writable`() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    #expect(chmod(folder.path, 0o500) == 0)
    #expect(isCode(.notWritable) { _ = try folder.open() })
  }

  @Test func `makes a folder that others could look into its owner's alone`() throws {
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    #expect(chmod(folder.path, 0o755) == 0)
    let store = try folder.open()
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(folder.path) == 0o700)
    #expect(try mode(folder.path + "/identity") == 0o600)
    try store.close()
    #expect(chmod(folder.path, 0o2710) == 0)
    _ = try folder.open()
    #expect(try mode(folder.path) == 0o700)
  }

  @Test(.enabled(if: geteuid() != 0, "root may change every folder"))
  func `does not open a folder of others that still others may read`() throws {
    #expect(isCode(.notWritable) { _ = try Store.open(folder: "/tmp", model: sampleModel) })
    unlink("/tmp/lock")
  }

  @Test func `says that a file in the place of the folder is in the way`() throws {
    try Data([1]).write(to: URL(fileURLWithPath: folder.path))
    #expect(isCode(.notWritable) { _ = try folder.open() })
  }

  @Test func `refuses a model that contradicts the store or itself`() throws {
    _ = try fill(folder)
    let field = FieldDescription(number: 1, name: "caption", kind: .int)
    let photo = EntityDescription(number: 3, name: "photo", fields: [field])
    #expect(isCode(.invalidModel) { _ = try folder.open(Model(entities: [photo])) })
    #expect(isCode(.invalidModel) { _ = try folder.open(Model(entities: [photo, photo])) })
    #expect(try folder.open().fetch(Query<Photo>(in: space)).count == 3)
  }

  @Test func `reads with plain SQL under the model's names`() throws {
    _ = try fill(folder)
    let connection = try DatabaseConnection(path: folder.database, on: .system)
    let statement = try connection.statement("SELECT caption, \"is shown\" FROM photo")
    #expect(try statement.step())
    #expect(statement.text(0).hasPrefix("caption 0"))
    #expect(statement.int(1) == 1)
  }

  @Test func `refuses a folder with somebody's files and no store`() throws {
    let folder = Folder()
    try Store.requireOwnFolder(folder.path)
    try FileManager.default.createDirectory(
      atPath: folder.path + "/lost+found", withIntermediateDirectories: true)
    for name in [".DS_Store", "lock"] {
      try Data().write(to: URL(filePath: "\(folder.path)/\(name)"))
    }
    try Store.requireOwnFolder(folder.path)
    try Data([1]).write(to: URL(filePath: "\(folder.path)/thesis.odt"))
    #expect(isCode(.foreignFolder) { try Store.requireOwnFolder(folder.path) })
    let own = Folder()
    try own.open().close()
    try Data([1]).write(to: URL(filePath: "\(own.path)/thesis.odt"))
    try Store.requireOwnFolder(own.path)
  }
}
