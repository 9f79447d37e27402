import Foundation
import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync
import Testing

@testable import ReunionServer

/// What `/health` and the host are told of files that are away, and of a disk that is full
/// (docs/protocol.md 3.7).
@Suite struct HealthTests {
  @Test func `health says where files are away, names no folder to strangers, and is well again`()
    async throws
  {
    try await onThread {
      let house = try RouteHouse()
      let admin = try #require(house.tokens[.admin])
      let space = SpaceID(high: 7, low: 7)
      let blob = try house.store.blobs.add([1, 2, 3])
      let coming = BlobReference(hash: BlobHash(of: [9]), byteCount: 1)
      try house.store.write(in: space) { transaction in
        for (number, named) in [blob, coming].enumerated() {
          try transaction.set(
            field: 1, of: RecordID(high: 1, low: UInt64(number)), entity: 900, to: .blob(named))
        }
      }
      let well = try house.ask(.get, "/health", admin)
      #expect(well.status == 200 && well.text.contains("\"awaited\":1"))
      let (here, away) = (house.folder + "/blobs", house.folder + "/elsewhere")
      try FileManager.default.moveItem(atPath: here, toPath: away)
      // A look of the last minute stands: a reader finds it sooner.
      _ = try? house.store.blobs.contains(blob.hash)
      let other = try RouteHouse.health(of: house)
      #expect(other.away == [blob.hash] && other.awaited == [coming.hash])
      let told = try #require(other.notice(in: house.folder))
      #expect(told.contains("1 file that records name") && told.contains("mount"))
      try FileManager.default.moveItem(atPath: away, toPath: here)
      #expect(try RouteHouse.health(of: house).away.isEmpty)
    }
  }

  @Test func `a server that starts without its files says so with a code`() async throws {
    try await onThread {
      let house = try RouteHouse()
      let admin = try #require(house.tokens[.admin])
      let blob = try house.store.blobs.add([4, 5])
      try house.store.write(in: SpaceID(high: 7, low: 7)) {
        try $0.set(field: 1, of: RecordID(high: 1, low: 1), entity: 900, to: .blob(blob))
      }
      let (here, away) = (house.folder + "/blobs", house.folder + "/elsewhere")
      try FileManager.default.moveItem(atPath: here, toPath: away)
      let stranger = try house.ask(.get, "/health", nil)
      #expect(stranger.status == 503 && stranger.text.contains("\"status\":\"missing\""))
      #expect(!stranger.text.contains(house.folder))
      let host = try house.ask(.get, "/health", admin)
      #expect(host.text.contains("\"missing\":1") && host.text.contains("mount it"))
      try FileManager.default.moveItem(atPath: away, toPath: here)
      #expect(try house.ask(.get, "/health", nil).status == 200)
    }
  }

  @Test func `a full disk is told to the host once an hour, and all else each time`() {
    let told = Log<String>()
    let now = Lock(ContinuousClock.now)
    let notice = HostNotices.once(HostNotices.fullDisk, told.append) { now.withLock { $0 } }
    for _ in 0..<3 {
      for _ in 0..<5 { notice(HostNotices.fullDisk) }
      notice("Something else.")
      now.withLock { $0 += .seconds(1800) }
    }
    #expect(told.all.count { $0 == HostNotices.fullDisk } == 2)
    #expect(told.all.count { $0 == "Something else." } == 3)
  }

  @Test func `a full disk tells guests no folder, and the host the remedy`() {
    let full = StoreError(
      .diskFull, "The disk of /srv/party/store.sqlite is full.", underlying: "SQLite 13: full")
    for error in [full, StoreError(.ioFailed, "/srv/party failed.")] as [StoreError] {
      let sentence = Session.sentence(of: error)
      #expect(!sentence.contains("/") && !sentence.contains("SQLite"))
      #expect(sentence.contains("Nothing is lost"))
    }
    let told = Log<String>()
    for error in [full, UploadError.cannotWrite(ENOSPC), UploadError.cannotKeep(full)]
      as [any Error]
    {
      let answer = HTTPResponse.failure(error, tell: told.append)
      #expect(answer.status == 507)
    }
    #expect(told.all == [String](repeating: HostNotices.fullDisk, count: 3))
    #expect(HostNotices.fullDisk.contains("Make room"))
  }
}

extension RouteHouse {
  static func health(of house: RouteHouse) throws -> BlobGaps { try house.store.blobs.gaps() }
}
