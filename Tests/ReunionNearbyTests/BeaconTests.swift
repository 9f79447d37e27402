import Reunion
import ReunionCore
import ReunionFlow
import ReunionStore
import Testing

@testable import ReunionBluetooth
@testable import ReunionNearby

/// A space is advertised so that its members can tell, and others cannot (docs/protocol.md 2.18).
@Suite struct BeaconTests {
  static let epoch = Beacon.epochMilliseconds

  @Test func `who holds the key tells it, within a quarter of an hour of clocks that differ`() {
    var random = MediumRandom(seed: 1)
    for number in 0..<200 as Range<UInt64> {
      let (key, other) = (someBytes(32, number), someBytes(32, number + 1000))
      let now = 1_800_000_000_000 + UInt64.random(in: 0..<10 * Self.epoch, using: &random)
      let beacon = Beacon(key: key, at: now, using: &random)
      #expect(beacon.bytes.count == 12)
      for off in [0, Self.epoch] as [UInt64] {
        #expect(beacon.isOf(key, at: now + off) && beacon.isOf(key, at: now - off))
      }
      #expect(!beacon.isOf(key, at: now + 2 * Self.epoch))
      #expect(!beacon.isOf(key, at: now - 2 * Self.epoch))
      #expect(!beacon.isOf(other, at: now))
      var changed = beacon.bytes
      changed[Int(number) % 12] ^= 1
      #expect(Beacon(bytes: changed)?.isOf(key, at: now) == false)
    }
    #expect(Beacon(bytes: someBytes(13, 1)) == nil && Beacon(bytes: []) == nil)
  }

  /// How much two beacons in a row have in common, as a share of their bits: one half is chance.
  static func likeness(of beacons: [[UInt8]]) -> Double {
    var equal = 0
    for (one, other) in zip(beacons, beacons.dropFirst()) {
      for (left, right) in zip(one, other) { equal += 8 - (left ^ right).nonzeroBitCount }
    }
    return Double(equal) / Double((beacons.count - 1) * 96)
  }

  @Test func `two beacons of one space are as unlike as two of two`() {
    var random = MediumRandom(seed: 2)
    let now: UInt64 = 1_800_000_000_000
    let same = (0..<4000 as Range<UInt64>).map { number in
      Beacon(key: someBytes(32, 1), at: now + number / 4 * Self.epoch, using: &random).bytes
    }
    let different = (0..<4000 as Range<UInt64>).map { number in
      Beacon(key: someBytes(32, number), at: now, using: &random).bytes
    }
    #expect(abs(Self.likeness(of: same) - 0.5) < 0.005)
    #expect(abs(Self.likeness(of: different) - 0.5) < 0.005)
    #expect(Set(same.map { Array($0.dropFirst(4)) }).count == 4000)
    // One without chance is the same for a quarter of an hour (negative control).
    let fixed = (0..<4000 as Range<UInt64>).map { number in
      var none = MediumRandom(seed: 9)
      return Beacon(key: someBytes(32, 1), at: now + number / 4 * Self.epoch, using: &none).bytes
    }
    #expect(Self.likeness(of: fixed) > 0.6)
  }

  /// What a legacy advertisement has room for: 31 bytes, and 31 more in the answer to a scan.
  @Test func `it fits into an advertisement`() {
    let flags = 3
    let service = 2 + 16
    #expect(flags + service <= 31)
    #expect(2 + 16 + Beacon.byteCount <= 31)
  }

  @Test func `a member finds the space on the air, and a stranger does not`() throws {
    let hikers = Hikers(seed: 51)
    try hikers.meet()
    #expect(hikers.settle(within: .seconds(30)) { hikers.anna.sync?.state.value == .online })
    let (anna, ben) = (try #require(hikers.anna.replica), try #require(hikers.ben.replica))
    let other = SpaceID(high: 11, low: 12)
    try ben.admit(try #require(PeerID(bytes: someBytes(32, 1))), to: other, as: .edit)
    let bluetooth = try #require(hikers.ben.bluetooth)
    let advertising = try ben.advertise([hikers.space, other], over: bluetooth)
    let stranger = try Replica(
      folder: "/app/store", model: Model(Photo.schema), options: hikers.options(on: 5),
      clock: hikers.clock)
    _ = try stranger.admit(
      try #require(PeerID(bytes: someBytes(32, 2))), to: hikers.space, as: .edit)
    let (told, beacons) = (Lock<[SpaceID?]>([]), Lock<Set<[UInt8]>>([]))
    let scanner = try Bluetooth(
      radio: hikers.medium.radio("scanner"), store: MemoryPeerStore(), clock: hikers.clock,
      random: MediumRandom(seed: 4))
    let scan = scanner.scan(for: [ReunionService.id], limit: .seconds(3600)) { sighting in
      guard let sighting else { return }
      told.withLock { $0.append((try? anna.space(of: sighting)) ?? nil) }
      beacons.withLock { _ = $0.insert(sighting.serviceData[ReunionService.id] ?? []) }
      #expect((try? stranger.space(of: sighting)) == .some(nil))
      #expect(sighting.name == nil && sighting.manufacturerData.isEmpty)
    }
    hikers.clock.advance(by: .seconds(3600))
    // Half of the time it is the turn of the other space, of which Anna knows nothing.
    let found = told.withLock { $0.count { $0 == hikers.space } }
    let all = told.withLock { $0.count }
    #expect(all > 3000 && abs(Double(found) / Double(all) - 0.5) < 0.01)
    #expect(told.withLock { $0.allSatisfy { $0 == nil || $0 == hikers.space } })
    #expect(beacons.withLock { $0.count } == 8)
    scan.cancel()
    advertising.cancel()
  }
}
