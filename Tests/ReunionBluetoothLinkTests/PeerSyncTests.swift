import Reunion
import ReunionCore
import ReunionFlow
import ReunionStore
import Testing

@testable import ReunionBluetooth
@testable import ReunionBluetoothLink

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
}
