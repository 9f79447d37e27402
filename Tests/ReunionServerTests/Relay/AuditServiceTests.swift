import Reunion
import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionServer
@testable import ReunionStore

/// Audits over real sockets and threads (docs/protocol.md 2.26), and blobs that somebody asks for.
@Suite struct AuditServiceTests {
  private typealias Photo = StandingTests.Photo

  /// Has a store lose a record, and nothing that shows it.
  private static func lose(_ id: RecordID, at store: Store, in space: SpaceID) throws {
    try store.commit { (_, records) throws(StoreError) in
      let key = RecordKey(entity: Photo.schema.number, id: id)
      if let number = try records.reader.numbers.existingNumber(of: space),
        let record = try records.reader.record(key, space: number)
      {
        try records.remove(record, space: number)
      }
      return ((), nil)
    }
  }

  @Test func `what a server lost an audit brings back to all, and the host is told`() async throws {
    let told = Lock<[String]>([])
    let house = try StandingTests.House {
      $0.notice = { sentence in told.withLock { $0.append(sentence) } }
    }
    let (one, other) = (try await house.device(.edit), try await house.device(.edit))
    let viewer = try await house.device(.view)
    for number in 0..<300 { _ = try await one.add("photo \(number)") }
    for device in [other, viewer] { try await device.sees("photo 299") }
    #expect(try await one.connection.audit() == AuditReport(differingCount: 0))
    let photos = try await one.replica.fetch(Query<Photo>(in: one.space))
    let server = house.service.store
    for photo in photos.prefix(40) {
      try Self.lose(photo.id, at: server, in: one.space)
      try Self.lose(photo.id, at: other.replica.store, in: one.space)
    }
    #expect(try await one.connection.audit() == AuditReport(differingCount: 40))
    for await count in other.connection.repairedCount.values() where count == 40 { break }
    for store in [server, other.replica.store] {
      #expect(try store.digest(of: one.space) == one.replica.store.digest(of: one.space))
    }
    #expect(told.withLock { $0.contains { $0.contains("40 records differed") } })
    #expect(one.connection.repairedCount.value == 0)
    // A viewer may not ask, and loses nothing by it.
    await #expect(throws: AuditFailure.self) { try await viewer.connection.audit() }
    #expect(try server.digest(of: one.space) == viewer.replica.store.digest(of: one.space))
  }

  @Test func `a device that fetches on demand gets what somebody asks for`() async throws {
    let house = try StandingTests.House()
    let (one, other) = (try await house.device(.edit), try await house.device(.edit))
    #expect(try other.replica.blobPolicy(in: other.space) == .all)
    try other.replica.setBlobPolicy(.onDemand, in: other.space)
    let picture = [UInt8](repeating: 7, count: 300_000)
    try await one.add("harbour", picture: picture).reached(.server)
    try await other.sees("harbour")
    let blob = BlobReference(hash: BlobHash(of: picture), byteCount: 300_000)
    #expect(try !other.replica.blobs.contains(blob.hash))
    try await other.replica.fetch(blob, in: other.space)
    #expect(try other.replica.blobs.contains(blob.hash))
    // A device that fetches none says so, and one that is cancelled stops waiting.
    let unknown = BlobReference(hash: BlobHash(of: [1]), byteCount: 1)
    let waiting = Task { try await other.replica.fetch(unknown, in: other.space) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    let left = Task { try await one.replica.fetch(unknown, in: one.space) }
    try one.replica.close()
    let closed = await #expect(throws: StoreError.self) { try await left.value }
    #expect(closed?.code == .closed)
    try other.replica.setBlobPolicy(.none, in: other.space)
    await #expect(throws: StoreError.self) {
      try await other.replica.fetch(unknown, in: other.space)
    }
  }
}
