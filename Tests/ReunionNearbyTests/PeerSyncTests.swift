import Dispatch
import Foundation
import Reunion
import ReunionCore
import ReunionFlow
import ReunionStore
import Testing

@testable import ReunionBluetooth
@testable import ReunionNearby

/// Two replicas sync over a simulated radio, with no other link.
@Suite struct PeerSyncTests {
  @Test func `two replicas share 50 records and a preview, phone to phone`() throws {
    let hikers = Hikers(seed: 1)
    try hikers.meet()
    try hikers.addPhotos(50, by: hikers.ben)
    let start = hikers.clock.now
    #expect(
      hikers.settle(within: .seconds(60)) {
        hikers.isEqual && hikers.missing(hikers.anna) == 0
      })
    let photos = try #require(try hikers.anna.replica?.fetch(Query<Photo>(in: hikers.space)))
    #expect(photos.count == 50)
    let preview = try #require(photos.compactMap(\.preview).first)
    #expect(try hikers.anna.replica?.read(preview) == someBytes(20_000, 50))
    print("figures: 50 records and a preview after \(start.duration(to: hikers.clock.now))")
    // And back.
    try hikers.addPhotos(3, by: hikers.anna)
    #expect(
      hikers.settle(within: .seconds(60)) { hikers.isEqual && hikers.missing(hikers.ben) == 0 })
    #expect(hikers.anna.refused.isEmpty && hikers.ben.refused.isEmpty)
  }

  @Test func `a replica has one key, however many threads ask for it first`() throws {
    for round in 0..<40 {
      let folder = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID())").path
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let replica = try Replica(folder: folder)
      let keys = Lock<[Result<DeviceKey, any Error>]>([])
      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        let key = Result { try replica.deviceKey }
        keys.withLock { $0.append(key) }
      }
      let got = try Set(keys.withLock { $0 }.map { try $0.get() })
      try replica.close()
      let kept = try Replica(folder: folder)
      #expect(got == [try kept.deviceKey], "round \(round)")
      try kept.close()
    }
  }
}
