import Foundation
import Reunion
import ReunionCommandLine
import ReunionCore
import ReunionFlow
import ReunionStore
import Testing

@testable import ReunionServer

/// Where what a device wrote is by now, over real sockets (docs/protocol.md 2.23).
@Suite struct StandingTests {
  struct Photo: Entity {
    let id: RecordID
    var caption = ""
    var picture: BlobReference?
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Photo>(
      1, "photo", [.field(1, "caption", \.caption), .field(2, "picture", \.picture)])
  }

  /// A server that can be stopped, and devices that join it.
  final class House {
    let folder = "\(NSTemporaryDirectory())/standing-\(UUID())"
    /// Released, it gives its port back.
    private(set) var service: SpaceService!
    private var replicas: [Replica] = []

    init(_ change: @escaping (inout Server.Configuration) -> Void = { _ in }) throws {
      service = try Self.start(folder, port: 0, change)
    }

    private static func start(
      _ folder: String, port: UInt16, _ change: (inout Server.Configuration) -> Void = { _ in }
    ) throws -> SpaceService {
      let service = try SpaceService(
        ServeOptions([folder + "/server", "--port", "\(port)"]), change)
      _ = try service.start()
      return service
    }

    func device(
      _ role: Role, bugs: (inout StoreOptions) -> Void = { _ in }
    ) async throws -> Device {
      let left = InvitationFile(role: role.rawValue, expires: nil)
      let secret = try #require(left.leave(in: service.store.folder))
      var options = StoreOptions()
      bugs(&options)
      let replica = try Replica(
        folder: "\(folder)/device\(replicas.count)", model: Model(Photo.schema), options: options)
      replicas.append(replica)
      let membership = try await Membership.join(
        link: "http://127.0.0.1:\(service.port)/#join=\(secret)",
        device: replica.store.site.device)
      let space = try #require(membership.spaceIDs.first)
      return Device(
        replica: replica, space: space, connection: try replica.sync(space, with: membership))
    }

    /// Stops the server, does something with its folder, and starts it again.
    func restart(_ meanwhile: (String) throws -> Void = { _ in }) throws {
      let port = service.port
      service.stop()
      service = nil
      try meanwhile(folder + "/server")
      service = try Self.start(folder, port: port)
    }

    deinit {
      for replica in replicas { try? replica.close() }
      service.stop()
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  struct Device {
    let replica: Replica
    let space: SpaceID
    let connection: Connection

    func add(_ caption: String, picture: [UInt8]? = nil) async throws -> Receipt {
      let blob = try picture.map { try replica.blobs.add($0, in: space) }
      try await replica.write(in: space) { transaction in
        try transaction.create(Photo.self) { ($0.caption, $0.picture) = (caption, blob) }
      }
      return try replica.receipt(in: space)
    }

    func sees(_ caption: String) async throws {
      for await photos in try replica.live(Query<Photo>(in: space)).values()
      where photos.contains(where: { $0.caption == caption }) {
        return
      }
    }
  }

  private static let picture = [UInt8](repeating: 7, count: 300_000)

  @Test func `it is told when changes and photos are on the server and on other devices`()
    async throws
  {
    let house = try House()
    let one = try await house.device(.edit)
    let receipt = try await one.add("harbour", picture: Self.picture)
    #expect(receipt.reach.value == .here)
    try await receipt.reached(.server)
    #expect(try house.service.store.arrival(of: one.space) > 0)
    #expect(try house.service.store.blobs.contains(BlobHash(of: Self.picture)))
    #expect(receipt.reach.value == Reach(isOnServer: true, deviceCount: 0))
    #expect(!receipt.reach.value.isSafe)
    // Neither a leaf, nor whoever may not edit, is told of as one that keeps it.
    let viewer = try await house.device(.view)
    try await viewer.sees("harbour")
    let other = try await house.device(.edit)
    try await receipt.reached(.safe)
    #expect(receipt.reach.value == Reach(isOnServer: true, deviceCount: 1))
    #expect(try other.replica.blobs.contains(BlobHash(of: Self.picture)))
    // What is written later is another matter.
    let later = try await one.add("lighthouse")
    try await later.reached(.devices(1))
    let record = try #require(await one.replica.fetch(Query<Photo>(in: one.space)).first)
    let ofRecord = try #require(try other.replica.receipt(for: record, in: one.space))
    try await ofRecord.reached(.safe)
    let blob = try #require(record.picture)
    let ofBlob = try #require(try one.replica.receipt(for: blob, in: one.space))
    try await ofBlob.reached(.safe)
    #expect(ofBlob.reach.value == Reach(isOnServer: true, deviceCount: 1))
    let unnamed = BlobReference(hash: BlobHash(of: [1]), byteCount: 1)
    #expect(try one.replica.receipt(for: unnamed, in: one.space) == nil)
  }

  @Test func `a device that is away does not count, and is known after a restart`() async throws {
    let house = try House()
    let (one, other) = (try await house.device(.edit), try await house.device(.edit))
    let first = try await one.add("first", picture: Self.picture)
    try await first.reached(.safe)
    other.connection.disconnect()
    try house.restart()
    // The server has kept how far the other device had come.
    let again = try one.replica.receipt(in: one.space)
    try await again.reached(.safe)
    let second = try await one.add("second")
    try await second.reached(.server)
    #expect(second.reach.value.deviceCount == 0)
    for await standing in try one.replica.standing(in: one.space).values()
    where standing.isServerThere && standing.devices.count == 1 {
      #expect(standing.recordCount == 0 && standing.blobCount == 0 && standing.byteCount == 0)
      #expect(standing.devices[0].id == other.replica.store.device(in: one.space))
      if standing.devices[0].hasAll { continue }
      #expect(try abs(#require(standing.devices[0].lastHeard).timeIntervalSinceNow) < 600)
      break
    }
    other.connection.connect()
    try await second.reached(.safe)
  }

  @Test func `a server that went back takes its word back, and waiting goes on`() async throws {
    try await goBack(expectingFall: true)
  }

  @Test func `reach kept after a rollback is seen (negative control)`() async throws {
    try await goBack(expectingFall: false) { $0.seededBugs = [.reachKeptAfterRollback] }
  }

  private func goBack(
    expectingFall: Bool, bugs: (inout StoreOptions) -> Void = { _ in }
  ) async throws {
    let house = try House()
    let one = try await house.device(.edit, bugs: bugs)
    let before = try await one.add("before")
    try await before.reached(.server)
    let copy = house.folder + "/copy"
    try house.restart { try FileManager.default.copyItem(atPath: $0, toPath: copy) }
    let receipt = try await one.add("after", picture: Self.picture)
    try await receipt.reached(.server)
    let log = Log<Reach>()
    let watching = receipt.reach.observe(log.append)
    try house.restart { folder in
      try FileManager.default.removeItem(atPath: folder)
      try FileManager.default.moveItem(atPath: copy, toPath: folder)
    }
    // It comes again, and is told anew.
    let late = try await one.add("late")
    try await late.reached(.server)
    try await receipt.reached(.server)
    #expect(try house.service.store.blobs.contains(BlobHash(of: Self.picture)))
    #expect(log.all.contains { !$0.isOnServer } == expectingFall)
    watching.cancel()
  }

  @Test func `what the server refuses is thrown to whoever waits`() async throws {
    let house = try House {
      $0.rule = TransactionRule { transaction in
        let isLong = transaction.writes.contains { String(storedValue: $0.value)?.count ?? 0 > 9 }
        return isLong ? "A caption has nine letters at most." : nil
      }
    }
    let one = try await house.device(.edit)
    let fine = try await one.add("fine")
    let refused = try await one.add("a caption that is too long")
    let error = await #expect(throws: RefusedChange.self) { try await refused.reached(.server) }
    #expect(error?.sentence == "A caption has nine letters at most.")
    try await fine.reached(.server)
  }

  @Test func `whoever waits hears that the replica is closed, or that it was cancelled`()
    async throws
  {
    let house = try House()
    let one = try await house.device(.edit)
    one.connection.disconnect()
    let receipt = try await one.add("offline")
    let waiting = Task { try await receipt.reached(.server) }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    for await standing in try one.replica.standing(in: one.space).values()
    where standing.recordCount == 1 {
      #expect(!standing.isServerThere && standing.byteCount > 0)
      break
    }
    let closed = Task { try await receipt.reached(.server) }
    try one.replica.close()
    let error = await #expect(throws: StoreError.self) { try await closed.value }
    #expect(error?.code == .closed)
  }
}
