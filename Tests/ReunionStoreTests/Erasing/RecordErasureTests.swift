import ReunionCore
import ReunionDisk
import Testing

@testable import ReunionStore

/// Records that are deleted for good (docs/protocol.md 2.12).
@Suite struct RecordErasureTests {
  private let folders = [Folder(), Folder(), Folder()]

  private func stores() throws -> (host: Store, guest: Store, other: Store) {
    (try folders[0].open(), try folders[1].open(), try folders[2].open())
  }

  private func holds(_ text: String, _ folder: Folder) throws -> Bool {
    let connection = try DatabaseConnection(path: folder.database, on: .system, readOnly: true)
    defer { connection.close() }
    for (table, columns) in [
      ("reunion_record_3", "f1"), ("reunion_unknown_cell", "value"),
      ("reunion_conflict", "value"), ("reunion_undo", "step"),
    ] {
      let statement = try connection.prepare("SELECT \(columns) FROM \(table)")
      defer { statement.finalize() }
      while try statement.step() {
        if String(decoding: statement.bytes(0), as: UTF8.self).contains(text) { return true }
      }
    }
    return false
  }

  @Test func `its values go everywhere, with what lost in conflicts and what could be undone`()
    throws
  {
    let (host, guest, _) = try stores()
    let photo = try guest.write(in: space) {
      try $0.create(Photo.self) { $0.caption = "a secret" }
    }
    try host.pull(from: guest)
    try host.write(in: space, undo: "Rename") {
      try $0.set(\Photo.caption, of: photo.id, to: "a secret of the host")
    }
    try guest.write(in: space) { try $0.set(\Photo.caption, of: photo.id, to: "a secret again") }
    try host.pull(from: guest)
    #expect(try holds("secret", folders[0]))
    try host.write(in: space) { try $0.erase(Photo.self, photo.id) }
    #expect(try !holds("secret", folders[0]))
    #expect(try host.isErased(Photo.self, photo.id, in: space))
    #expect(try host.fetch(Photo.self, photo.id, in: space) == nil)
    try guest.pull(from: host)
    #expect(try !holds("secret", folders[1]))
    #expect(try guest.digest(of: space) == host.digest(of: space))
  }

  @Test
  func `nobody brings it back: not by an edit, an undo, a new one of its id, or an old replica`()
    throws
  {
    let (host, guest, other) = try stores()
    let photo = try host.write(in: space) { try $0.create(Photo.self) { $0.caption = "the sea" } }
    try guest.pull(from: host)
    try other.pull(from: host)
    try guest.write(in: space) { try $0.set(\Photo.caption, of: photo.id, to: "the blue sea") }
    try host.write(in: space) { try $0.erase(Photo.self, photo.id) }
    try host.pull(from: guest)
    try host.pull(from: other)
    #expect(try host.record(entity: 3, photo.id, in: space) == nil)
    for body in [
      { (transaction: WriteTransaction) in try transaction.create(photo) },
      { try $0.set(\Photo.caption, of: photo.id, to: "again") },
      { try $0.update(photo) },
    ] as [(WriteTransaction) throws -> Void] {
      #expect { try host.write(in: space) { try body($0) } } throws: {
        ($0 as? StoreError)?.code == .recordErased
      }
    }
    for store in [guest, other] { try store.pull(from: host) }
    for store in [guest, other] {
      #expect(try store.fetch(Photo.self, photo.id, in: space) == nil)
      #expect(try store.digest(of: space) == host.digest(of: space))
    }
    // Opened again it stays so.
    try host.close()
    #expect(try folders[0].open().isErased(Photo.self, photo.id, in: space))
  }

  @Test func `a guest's later edit is refused and told, and what came with it is taken`() throws {
    let (host, guest, _) = try stores()
    let photo = try guest.write(in: space) { try $0.create(Photo.self) { $0.caption = "mine" } }
    let authority = Authority.own(device: guest.site.device)
    func push() throws -> Applied {
      try host.take(
        try guest.window(in: space, Conversation.Reading(after: 0), bytesMax: .max).changes,
        guest.vector(of: space), from: guest.site, authority: authority)
    }
    #expect(try push().refusedCount == 0)
    try host.write(in: space) { try $0.erase(Photo.self, photo.id) }
    let new = try guest.write(in: space) { transaction in
      try transaction.set(\Photo.caption, of: photo.id, to: "still mine")
      return try transaction.create(Photo.self) { $0.caption = "new" }
    }
    #expect(try push().refusedCount == 1)
    #expect(try host.fetch(Photo.self, new.id, in: space)?.caption == "new")
    let told = try host.refusals(of: guest.site, after: 0, in: space, bytesMax: .max)
    #expect(told.map(\.refusal.record) == [photo.id] && told[0].cells.isEmpty)
    // And a guest erases nothing.
    try guest.write(in: space) { try $0.erase(Photo.self, new.id) }
    _ = try push()
    #expect(try host.fetch(Photo.self, new.id, in: space)?.caption == "new")
  }

  @Test func `an erasure that names something else than its id says erases nothing`() throws {
    let (host, _, _) = try stores()
    let photo = try host.write(in: space) { try $0.create(Photo.self) { $0.caption = "the sea" } }
    let key = RecordKey(entity: 3, id: photo.id)
    let other = RecordKey(entity: 3, id: RecordID(high: 1, low: 2))
    try host.write(in: space) {
      try $0.set(
        field: RecordErasure.keyField, of: RecordErasure.id(of: other),
        entity: RecordErasure.entity, to: RecordErasure.value(of: key))
    }
    #expect(try host.fetch(Photo.self, photo.id, in: space) != nil)
  }
}
