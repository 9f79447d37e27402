import Foundation
import struct ReunionCore.SeededBug
import struct ReunionCore.SeededBugs
import ReunionFlow
import Testing

@testable import ReunionBluetooth

/// What messages cost on the air of the simulated radio: counted and on virtual time, so the same on
/// every machine.
@Suite struct FigureTests {
  /// The modelled radio: every 15 ms four packets of 244 bytes of a value each way.
  static func quality(mtu: Int) -> RadioQuality {
    var quality = RadioQuality()
    quality.mtu = mtu
    quality.interval = .milliseconds(15)
    quality.packetsPerInterval = 4
    return quality
  }

  static let linkBytesPerSecond = 4 * 244 / 0.015

  static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }

  /// What this thread has computed so far, in milliseconds.
  static var computedMilliseconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }

  /// How long a device is away: while an attempt to connect stands, and while the radio listens for it.
  static let absences: [Duration] = [
    .seconds(3), .seconds(10), .seconds(39), .seconds(60), .seconds(300), .seconds(590),
  ]

  @Test(arguments: absences)
  func `from back in range to encrypted, 300 ms at most are ours`(absence: Duration) throws {
    // A radio that takes next to no time, so that what is left are our own waits.
    var quality = Self.quality(mtu: 517)
    quality.interval = .milliseconds(1)
    let duo = Duo(seed: 35, quality: quality)
    try duo.meet()
    #expect(duo.isConnected)
    duo.medium.part(duo.phone.radio, duo.laptop.radio)
    duo.clock.advance(by: absence)
    #expect(!duo.isConnected)
    let link = try #require(duo.phone.link)
    // Nothing of ours stands in the way: the rest until it is connected is the radio's.
    switch link.state.value {
    case .connecting, .seeking: break
    case let state: Issue.record("\(state)")
    }
    let (clock, connectedAt) = (duo.clock, Lock<Moment?>(nil))
    let watching = link.transitions.observe { transition in
      if case .connected = transition.event { connectedAt.withLock { $0 = clock.now } }
    }
    let computed = Self.computedMilliseconds
    duo.medium.meet(duo.phone.radio, duo.laptop.radio)
    #expect(duo.settle(within: .seconds(60)) { duo.isConnected })
    let own = try #require(connectedAt.withLock { $0 }).duration(to: duo.clock.now)
    #expect(own <= .milliseconds(300))
    print(
      "figures: bluetooth, back in range after \(absence): \(Int(Self.seconds(own) * 1e3)) ms from connected "
        + "to encrypted, \(Int(Self.computedMilliseconds - computed)) ms of CPU for both sides")
    watching.cancel()
  }

  @Test(arguments: [(23, 0.83), (185, 0.95), (247, 0.95), (517, 0.97)])
  func `most of what goes over the air is the message`(mtu: Int, goal: Double) throws {
    let duo = Duo(seed: 31, quality: Self.quality(mtu: mtu))
    try duo.meet()
    let before = (duo.phone.radio.givenBytes, duo.laptop.radio.givenBytes)
    duo.send(someBytes(65_536, 1), on: .blobs, from: duo.phone)
    #expect(duo.settle(within: .seconds(60)) { duo.phone.confirmedCount == 1 })
    let share = 65_536 / Double(duo.phone.radio.givenBytes - before.0)
    let back = duo.laptop.radio.givenBytes - before.1
    #expect(share >= goal)
    print(
      "figures: bluetooth, MTU \(mtu): the message is \(Int((share * 1000).rounded()) / 10) % of the "
        + "values of its way; \(back) bytes go back")
  }

  @Test(arguments: [185, 247, 517])
  func `a large message goes at most of the rate of the radio`(mtu: Int) throws {
    let duo = Duo(seed: 32, quality: Self.quality(mtu: mtu))
    try duo.meet()
    let start = duo.clock.now
    for number in 0..<10 {
      duo.send(someBytes(65_536, UInt64(number)), on: .blobs, from: duo.phone)
    }
    #expect(duo.settle(within: .seconds(100)) { duo.phone.confirmedCount == 10 })
    let rate = 655_360 / Self.seconds(start.duration(to: duo.clock.now))
    // The rate is near the most that values of this length reach. At MTU 185 that is four values of
    // 182 bytes.
    let packets = Double(Frame.bytesMax(ofValue: min(mtu - 3, 508)))
    let perPacket = packets / Double(RadioQuality().packetCount(of: Int(packets)))
    let most = perPacket * 4 / 0.015
    #expect(rate >= 0.95 * most)
    // A value of 182 bytes takes a packet for itself: 75 % of the radio is all that there is.
    if mtu > 185 { #expect(rate >= 0.8 * Self.linkBytesPerSecond) }
    print(
      "figures: bluetooth, MTU \(mtu): \(Int(rate)) B/s, \(Int(rate / most * 100)) % of what values of "
        + "this length can have, \(Int(rate / Self.linkBytesPerSecond * 100)) % of the radio")
  }

  @Test(arguments: [23, 185, 247, 517])
  func `a record does not wait behind a photo`(mtu: Int) throws {
    let duo = Duo(seed: 33, quality: Self.quality(mtu: mtu))
    try duo.meet()
    for number in 0..<8 { duo.send(someBytes(65_536, UInt64(number)), on: .blobs, from: duo.phone) }
    duo.clock.advance(by: .seconds(2))
    var worst = Duration.zero
    for number in 0..<20 {
      let start = duo.clock.now
      duo.send(someBytes(200, UInt64(number)), from: duo.phone)
      #expect(
        duo.settle(within: .seconds(5)) { duo.laptop.taken[.records]?.count == number + 1 })
      worst = max(worst, start.duration(to: duo.clock.now))
      duo.clock.advance(by: .milliseconds(37))
    }
    #expect(duo.laptop.taken[.blobs]?.count ?? 0 < 8, "The photo was over.")
    #expect(worst <= .milliseconds(250))
    print(
      "figures: bluetooth, MTU \(mtu): a record behind a photo is there after at most "
        + "\(Int(Self.seconds(worst) * 1000)) ms")
  }

  @Test func `back in range, it is ready and encrypted soon`() throws {
    let duo = Duo(seed: 34)
    try duo.meet()
    var (worst, worstOfLong) = (Duration.zero, Duration.zero)
    for seconds in [5, 20, 38, 42, 100, 500, 1000, 1001, 1002, 1003, 86_400] {
      duo.medium.part(duo.phone.radio, duo.laptop.radio)
      // After the long ones its system has no memory of the other, so that it must be heard.
      if seconds >= 600 {
        duo.clock.advance(by: .seconds(5))
        duo.phone.radio.restartService()
      }
      duo.clock.advance(by: .seconds(seconds))
      duo.medium.meet(duo.phone.radio, duo.laptop.radio)
      let start = duo.clock.now
      #expect(duo.settle(within: .seconds(60)) { duo.isConnected })
      let time = start.duration(to: duo.clock.now)
      if seconds < 600 { worst = max(worst, time) } else { worstOfLong = max(worstOfLong, time) }
    }
    print(
      "figures: bluetooth, back in range to ready and encrypted: at most "
        + "\(Int(Self.seconds(worst) * 1000)) ms of the simulated radio's time, and "
        + "\(Int(Self.seconds(worstOfLong) * 1000)) ms after more than ten minutes")
    #expect(worst <= .seconds(2))
    #expect(worstOfLong <= .seconds(5))
  }

  @Test func `what waits goes at once when both are back`() throws {
    let duo = Duo(seed: 36, quality: Self.quality(mtu: 247))
    try duo.meet()
    var worst = Duration.zero
    for number in 0..<10 {
      duo.medium.part(duo.phone.radio, duo.laptop.radio)
      duo.clock.advance(by: .seconds(5))
      duo.send([UInt8(number)], from: duo.phone)
      duo.medium.meet(duo.phone.radio, duo.laptop.radio)
      #expect(duo.settle(within: .seconds(60)) { duo.phone.peer?.isConnected.value == true })
      let start = duo.clock.now
      #expect(
        duo.settle(within: .seconds(5)) { duo.laptop.taken[.records]?.count == number + 1 })
      worst = max(worst, start.duration(to: duo.clock.now))
    }
    print(
      "figures: bluetooth, the first message is there at most "
        + "\(Int(Self.seconds(worst) * 1000)) ms after the connection is open")
    // Three of the radio's intervals of 15 ms: nobody waits to be asked for what it has room for.
    #expect(worst <= .milliseconds(45))
  }

  /// How much of an hour a radio listens for a device that has been away for an hour.
  static func listening(_ bugs: SeededBugs) throws -> Double {
    let duo = Duo(seed: 35, bugs: bugs)
    try duo.meet()
    duo.medium.part(duo.phone.radio, duo.laptop.radio)
    // Its system has no memory of the other, so that no connection can be asked for.
    duo.clock.advance(by: .seconds(5))
    duo.phone.radio.restartService()
    duo.clock.advance(by: .seconds(3600))
    var count = 0
    for _ in 0..<36_000 {
      duo.clock.advance(by: .milliseconds(100))
      if duo.phone.radio.isScanning { count += 1 }
    }
    return Double(count) / 36_000
  }

  @Test func `a radio listens a quarter of the time for a device that is gone`() throws {
    let share = try Self.listening([])
    print(
      "figures: bluetooth, a device that is gone is listened for \(Int(share * 100)) % of the time")
    #expect(share > 0.2 && share <= 0.26)
    #expect(try Self.listening([.listensForever]) > 0.9)
  }

  @Test func `what a frame costs is told`() throws {
    var random: any RandomNumberGenerator = MediumRandom(seed: 1)
    let wire = try HostileTests.Wire(&random)
    for _ in 0..<20 { try wire.carry { _ in } }
    let frames = wire.frameCount
    let clock = ContinuousClock()
    var isDone = false
    let message = someBytes(65_536, 1)
    let time = try clock.measure {
      for number in 0..<20 as Range<UInt64> {
        _ = try wire.correspondences[0].queue(message, on: .blobs, key: someBytes(32, number))
      }
      for _ in 0..<5000 where !isDone {
        try wire.carry { _ in }
        isDone = wire.correspondences[0].queuedCount == 0
      }
    }
    #expect(isDone)
    let count = wire.frameCount - frames
    let each = Self.seconds(time) * 1e6 / Double(count)
    print(
      "figures: bluetooth, framing and encryption of both ends: \((each * 10).rounded() / 10) µs a frame of 100 "
        + "bytes, of \(count) frames")
  }
}
