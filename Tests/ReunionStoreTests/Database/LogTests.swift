import ReunionCore
import ReunionDisk
import Testing

@testable import ReunionStore

/// The write-ahead log as the store uses it.
@Suite struct LogTests {
  @Test func `who writes keeps the lock, others read, and closing gives it back`() throws {
    let folder = Folder()
    let store = try folder.open()
    try store.write(in: space) { try $0.create(Heart(id: store.newID())) }
    let other = try DatabaseConnection(path: folder.database, on: SystemDisk())
    #expect(try other.number("SELECT count(*) FROM reunion_space") == 1)
    try other.execute("PRAGMA busy_timeout = 0")
    let error = #expect(throws: StoreError.self) { try other.execute("BEGIN IMMEDIATE") }
    #expect(error?.code == .inUse)
    try store.close()
    try other.execute("BEGIN IMMEDIATE")
    try other.execute("COMMIT")
  }
}
