import Reunion
import ReunionCore
import ReunionStore
import Testing

@testable import ReunionServer

/// A device that was away while its server let go what was deleted, over real sockets (docs/protocol.md 2.25).
@Suite struct LongAbsenceTests {
  private typealias Photo = StandingTests.Photo

  private static func id(
    _ caption: String, at device: StandingTests.Device
  ) async throws -> RecordID {
    let photos = try await device.replica.fetch(Query<Photo>(in: device.space))
    return try #require(photos.first { $0.caption == caption }).id
  }

  @Test func `lets go what was deleted, keeps what it wrote, and brings back what it edited`()
    async throws
  {
    let house = try StandingTests.House()
    let (one, other) = (try await house.device(.edit), try await house.device(.edit))
    for caption in ["kept", "gone", "edited"] {
      _ = try await one.add(caption)
      try await other.sees(caption)
    }
    other.connection.disconnect()
    let (gone, edited) = (try await Self.id("gone", at: one), try await Self.id("edited", at: one))
    try await one.replica.write(in: one.space) { transaction in
      for id in [gone, edited] { try transaction.delete(Photo.self, id) }
    }
    try await one.replica.receipt(in: one.space).reached(.server)
    let server = house.service.store
    try server.raiseHorizon(of: one.space, to: server.arrival(of: one.space))
    #expect(try server.record(entity: 1, edited, in: one.space) == nil)
    try await other.replica.write(in: one.space) { transaction in
      try transaction.set(\Photo.caption, of: edited, to: "edited meanwhile")
      try transaction.create(Photo.self) { $0.caption = "new" }
    }
    other.connection.connect()
    try await one.sees("new")
    try await one.sees("edited meanwhile")
    for device in [one, other] {
      let captions = try await device.replica.fetch(Query<Photo>(in: device.space)).map(\.caption)
      #expect(captions.sorted() == ["edited meanwhile", "kept", "new"])
    }
    #expect(try other.replica.store.record(entity: 1, gone, in: one.space) == nil)
    #expect(try server.digest(of: one.space) == other.replica.store.digest(of: one.space))
  }

  @Test func `brings nothing back that it may not edit`() async throws {
    let house = try StandingTests.House()
    let (one, viewer) = (try await house.device(.edit), try await house.device(.view))
    for caption in ["kept", "edited"] {
      _ = try await one.add(caption)
      try await viewer.sees(caption)
    }
    viewer.connection.disconnect()
    let edited = try await Self.id("edited", at: one)
    try await one.replica.write(in: one.space) { try $0.delete(Photo.self, edited) }
    try await one.replica.receipt(in: one.space).reached(.server)
    let server = house.service.store
    try server.raiseHorizon(of: one.space, to: server.arrival(of: one.space))
    try await viewer.replica.write(in: one.space) {
      try $0.set(\Photo.caption, of: edited, to: "not allowed")
    }
    viewer.connection.connect()
    _ = try await one.add("later")
    try await viewer.sees("later")
    for await photos in try viewer.replica.live(Query<Photo>(in: one.space)).values()
    where photos.map(\.caption).sorted() == ["kept", "later"] {
      break
    }
    #expect(try server.digest(of: one.space) == viewer.replica.store.digest(of: one.space))
  }
}
