import Reunion
import ReunionCore
import ReunionFlow
import ReunionStore
import TestThreads
import Testing

@testable import ReunionBluetooth
@testable import ReunionNearby

/// Bluetooth beside a better link, and what goes first over it.
@Suite struct BetterLinkTests {
  /// Two hikers who sync over Bluetooth, and with a server.
  static func served(_ bugs: SeededBugs = []) throws -> (Hikers, Relay, [Connection]) {
    let hikers = Hikers(seed: 41, bugs: bugs)
    try hikers.meet()
    #expect(hikers.settle(within: .seconds(30)) { hikers.anna.sync?.state.value == .online })
    let relay = try Relay(hikers)
    let connections = [try relay.join(hikers.anna), try relay.join(hikers.ben)]
    hikers.clock.advance(by: .seconds(5))
    return (hikers, relay, connections)
  }

  /// How long a caption of one takes to the other.
  static func delay(
    _ caption: String, _ hikers: Hikers, from one: Hikers.Hiker, to other: Hikers.Hiker
  ) throws -> Duration {
    let start = hikers.clock.now
    try hikers.add(caption, by: one)
    let isThere = hikers.settle(within: .seconds(60), every: .milliseconds(5)) {
      hikers.captions(other).contains(caption)
    }
    return isThere ? start.duration(to: hikers.clock.now) : .seconds(3600)
  }

  @Test func `while both have a server, Bluetooth rests`() throws {
    let (hikers, _, connections) = try Self.served()
    #expect(connections.allSatisfy { $0.state.value == .online })
    #expect(hikers.anna.sync?.state.value == .idle && hikers.ben.sync?.state.value == .idle)
    let before = hikers.anna.radio.givenBytes + hikers.ben.radio.givenBytes
    for number in 0..<20 {
      #expect(
        try Self.delay("\(number)", hikers, from: hikers.ben, to: hikers.anna) < .seconds(1))
    }
    #expect(hikers.anna.radio.givenBytes + hikers.ben.radio.givenBytes == before)
  }

  @Test func `when the server goes, Bluetooth takes over within a second`() throws {
    let (hikers, relay, _) = try Self.served()
    relay.vanish()
    let delay = try Self.delay("over the air", hikers, from: hikers.ben, to: hikers.anna)
    print("figures: bluetooth takes over \(delay) after the server is gone")
    #expect(delay <= .seconds(1))
    #expect(hikers.anna.sync?.state.value == .online)
    // And rests again when it is back.
    relay.isReachable = true
    #expect(
      hikers.settle(within: .seconds(60)) {
        hikers.anna.sync?.state.value == .idle && hikers.ben.sync?.state.value == .idle
      })
    #expect(
      try Self.delay("by the server", hikers, from: hikers.anna, to: hikers.ben) < .seconds(1))
  }

  /// How long it takes where Ben alone has lost the server.
  static func delayForOne(_ bugs: SeededBugs) throws -> Duration {
    let (hikers, relay, connections) = try served(bugs)
    relay.vanish(for: connections[1])
    return try delay("over the air", hikers, from: hikers.ben, to: hikers.anna)
  }

  @Test func `it takes over where one of the two has lost the server`() throws {
    #expect(try Self.delayForOne([]) <= .seconds(1))
    #expect(try Self.delayForOne([.restsForOne]) > .seconds(1))
  }

  /// Ben has five photos with an original each, and Anna meets him: in which order blobs arrive.
  static func order(_ bugs: SeededBugs) throws -> [UInt64] {
    let hikers = Hikers(seed: 42, bugs: bugs)
    try hikers.launch(hikers.ben)
    try hikers.ben.replica?.write(in: hikers.space) { transaction in
      for number in 0..<5 as Range<UInt64> {
        try transaction.create(Photo.self) {
          $0.caption = "\(number)"
          $0.original = Blob(someBytes(60_000, number))
          $0.preview = Blob(someBytes(17_000 + Int(number), 50 + number))
        }
      }
    }
    hikers.kill(hikers.ben)
    try hikers.meet()
    var order: [UInt64] = []
    _ = hikers.settle(within: .seconds(60)) { hikers.anna.replica != nil }
    let sizes = Lock<[UInt64]>([])
    let replica = try #require(hikers.anna.replica)
    let watching = replica.store.blobs.observeArrivals { hash in
      sizes.withLock { $0.append((try? replica.store.blobs.byteCount(of: hash)) ?? 0) }
    }
    #expect(
      hikers.settle(within: .seconds(120)) {
        hikers.isEqual && hikers.missing(hikers.anna) == 0
          && hikers.captions(hikers.anna).count == 5
      })
    watching.cancel()
    order = sizes.withLock { $0 }
    return order
  }

  @Test func `previews come before originals`() throws {
    let order = try Self.order([])
    #expect(order.count == 10 && order == order.sorted())
    let unordered = try Self.order([.blobsUnordered])
    #expect(unordered != unordered.sorted())
  }

  @Test func `an original waits for the server, unless somebody asks for it`() throws {
    let (hikers, relay, _) = try Self.served()
    relay.vanish()
    hikers.clock.advance(by: .seconds(5))
    try hikers.ben.replica?.write(in: hikers.space) { transaction in
      try transaction.create(Photo.self) {
        $0.preview = Blob(someBytes(20_000, 1))
        $0.original = Blob(someBytes(400_000, 2))
      }
    }
    hikers.clock.advance(by: .seconds(60))
    #expect(hikers.isEqual && hikers.missing(hikers.anna) == 1)
    let replica = try #require(hikers.anna.replica)
    let blob = try #require(try replica.store.blobs.missing(in: hikers.space).first)
    #expect(blob.byteCount == 400_000)
    hikers.anna.sync?.fetch(blob)
    // It goes on after a cut, without being asked again.
    hikers.clock.advance(by: .seconds(3))
    hikers.medium.cut(hikers.anna.radio, hikers.ben.radio)
    #expect(hikers.settle(within: .seconds(60)) { hikers.missing(hikers.anna) == 0 })
  }

  @Test func `without a server originals come too, last`() throws {
    let hikers = Hikers(seed: 44)
    try hikers.meet()
    try hikers.ben.replica?.write(in: hikers.space) { transaction in
      try transaction.create(Photo.self) { $0.original = Blob(someBytes(400_000, 2)) }
    }
    #expect(
      hikers.settle(within: .seconds(60)) {
        hikers.captions(hikers.anna).count == 1 && hikers.missing(hikers.anna) == 0
      })
  }

  /// The longest that a record takes while an original is on its way.
  static func behindPhoto(mtu: Int, _ bugs: SeededBugs = []) throws -> Duration {
    var quality = RadioQuality()
    quality.mtu = mtu
    let hikers = Hikers(seed: 45, quality: quality, bugs: bugs)
    try hikers.meet()
    try hikers.ben.replica?.write(in: hikers.space) { transaction in
      try transaction.create(Photo.self) { $0.original = Blob(someBytes(800_000, 2)) }
    }
    hikers.clock.advance(by: .seconds(6))
    var worst = Duration.zero
    for number in 0..<8 {
      worst = max(
        worst, try delay("record \(number)", hikers, from: hikers.ben, to: hikers.anna))
      hikers.clock.advance(by: .milliseconds(37))
    }
    #expect(hikers.missing(hikers.anna) == 1 || !bugs.isEmpty, "The photo was over.")
    return worst
  }

  @Test(arguments: [185, 517])
  func `a record does not wait behind a photo`(mtu: Int) throws {
    let worst = try Self.behindPhoto(mtu: mtu)
    print("figures: bluetooth sync, MTU \(mtu): a record behind a photo takes at most \(worst)")
    #expect(worst <= .milliseconds(250))
  }

  @Test func `a record that waits behind a photo is seen (negative control)`() throws {
    #expect(try Self.behindPhoto(mtu: 185, [.blobsFirst]) > .milliseconds(250))
  }

  @Test(arguments: [185, 517])
  func `an original goes at most of the rate of the radio`(mtu: Int) throws {
    var quality = RadioQuality()
    quality.mtu = mtu
    let hikers = Hikers(seed: 46, quality: quality)
    try hikers.meet()
    #expect(hikers.settle(within: .seconds(30)) { hikers.anna.sync?.state.value == .online })
    try hikers.ben.replica?.write(in: hikers.space) { transaction in
      try transaction.create(Photo.self) { $0.original = Blob(someBytes(1_000_000, 2)) }
    }
    let (start, before) = (hikers.clock.now, hikers.ben.radio.givenBytes)
    #expect(
      hikers.settle(within: .seconds(60)) {
        hikers.captions(hikers.anna).count == 1 && hikers.missing(hikers.anna) == 0
      })
    let time = start.duration(to: hikers.clock.now)
    let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
    let share = 1_000_000 / Double(hikers.ben.radio.givenBytes - before)
    let bytes = Frame.bytesMax(ofValue: min(mtu - 3, 508))
    let most = Double(bytes) / Double(quality.packetCount(of: bytes)) * 4 / 0.015
    print(
      "figures: bluetooth sync, MTU \(mtu): \(Int(1_000_000 / seconds)) B/s, "
        + "\(Int(100_000_000 / seconds / most)) % of what values of this length can have; the photo is "
        + "\(Int(share * 1000) / 10) % of the values of its way")
    #expect(1_000_000 / seconds >= 0.8 * most)
    #expect(share >= (mtu == 185 ? 0.95 : 0.97))
  }

  @Test func `every seeded bug is named by a test`() throws {
    let named: Set<SeededBug> = [
      .roleNotChecked, .membershipNotChecked, .signatureNotChecked, .staleMessageDelivered,
      .saidOnce,
      .restsForOne, .blobsFirst, .blobsUnordered,
    ]
    #expect(try declaredBugs(in: "ReunionNearby") == Set(named.map(\.description)))
  }
}
