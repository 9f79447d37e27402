import struct ReunionCore.SeededBug
import struct ReunionCore.SeededBugs
import ReunionFlow
import Testing

@testable import ReunionBluetooth

/// A message goes on where it was cut off.
@Suite struct ResumeTests {
  static let windowBytes = FrameFlow.bytesUnderWayMax

  /// What happens to the two between the cut and the return.
  enum Interlude: CaseIterable {
    case none, dayAway, senderKilled, receiverKilled
  }

  /// Sends 64 KiB, cut in place of a value; the result is how many bytes of messages were sent in all.
  static func send(
    cutAt number: Int, mtu: Int, _ interlude: Interlude, bugs: SeededBugs = []
  ) throws -> (isTaken: Bool, sentBytes: Int) {
    var quality = RadioQuality()
    quality.mtu = mtu
    let duo = Duo(seed: 11, quality: quality, bugs: bugs)
    try duo.meet()
    let message = someBytes(65_536, 5)
    duo.medium.cut(atValue: duo.medium.carriedCount + number)
    let before = duo.phone.radio.givenBytes
    duo.send(message, on: .blobs, from: duo.phone)
    _ = duo.settle(within: .seconds(30)) { !duo.isConnected }
    switch interlude {
    case .none: break
    case .dayAway:
      duo.medium.part(duo.phone.radio, duo.laptop.radio)
      duo.clock.advance(by: .seconds(86_400))
      duo.medium.meet(duo.phone.radio, duo.laptop.radio)
    case .senderKilled, .receiverKilled:
      let side = interlude == .senderKilled ? duo.phone : duo.laptop
      duo.kill(side)
      duo.clock.advance(by: .seconds(5))
      try duo.launch(side)
    }
    let isTaken = duo.settle(within: .seconds(200)) { duo.laptop.taken[.blobs] == [message] }
    return (isTaken, duo.phone.radio.givenBytes - before)
  }

  /// What a run without a cut gives the radio, the greeting of one more connection included.
  static func uncutBytes(mtu: Int) throws -> Int {
    try send(cutAt: 1, mtu: mtu, .none).sentBytes
  }

  @Test(arguments: [185, 517])
  func `cut at every frame of 64 KiB, a message goes on, and at most the window is sent again`(
    mtu: Int
  ) throws {
    let base = try Self.uncutBytes(mtu: mtu)
    let frameCount = 65_552 / (min(mtu - 3, 508) - 3) + 1
    var most = 0
    for number in stride(from: 1, through: frameCount + frameCount / 8, by: 1) {
      // All interludes in turn; each of them meets each part of the message.
      let interlude = Interlude.allCases[number % Interlude.allCases.count]
      let (isTaken, sentBytes) = try Self.send(cutAt: number, mtu: mtu, interlude)
      #expect(isTaken, "MTU \(mtu), cut at value \(number), \(interlude)")
      most = max(most, sentBytes - base)
      #expect(
        sentBytes - base <= Self.windowBytes,
        "MTU \(mtu), cut at value \(number), \(interlude): \(sentBytes - base) bytes more")
    }
    print(
      "faults: bluetooth cuts, MTU \(mtu): at each of \(frameCount + frameCount / 8) values; at most "
        + "\(most) bytes were sent again")
  }

  @Test(arguments: Interlude.allCases)
  func `a message that is cut off in the middle survives it`(interlude: Interlude) throws {
    for number in [3, 40, 77, 125] {
      let (isTaken, _) = try Self.send(cutAt: number, mtu: 517, interlude)
      #expect(isTaken, "\(number)")
    }
  }

  @Test func `a wrong offset is seen by what is sent again (negative control)`() throws {
    let base = try Self.uncutBytes(mtu: 517)
    let (_, sentBytes) = try Self.send(
      cutAt: 100, mtu: 517, .none, bugs: [.resumedFromWrongOffset])
    #expect(sentBytes - base > Self.windowBytes)
  }

  @Test func `a side that was put back to an earlier state loses nothing that it still has`() throws
  {
    let (phoneStore, laptopStore) = (MemoryPeerStore(), MemoryPeerStore())
    let duo = Duo(seed: 12, stores: [phoneStore, laptopStore])
    try duo.meet()
    for number in 0..<5 { duo.send([UInt8(number)], from: duo.phone) }
    #expect(duo.settle(within: .seconds(5)) { duo.phone.confirmedCount == 5 })
    let snapshot = phoneStore.snapshot
    for number in 5..<9 { duo.send([UInt8(number)], from: duo.phone) }
    #expect(duo.settle(within: .seconds(5)) { duo.phone.confirmedCount == 9 })
    // The phone is restored from a backup: its numbers begin again at 6, which the laptop has had.
    duo.kill(duo.phone)
    phoneStore.restore(snapshot)
    duo.laptop.lastNumber = [:]
    try duo.launch(duo.phone)
    duo.send([99], from: duo.phone)
    #expect(duo.settle(within: .seconds(100)) { duo.laptop.taken[.records]?.last == [99] })
    // And the laptop: what it had taken does not come again.
    #expect(duo.laptop.taken[.records]?.count == 10)
  }

  /// How many messages a restored phone queues before it connects, and what its last ones had come to.
  static let rollbacks: [(queued: Int, wereTaken: Bool)] = [1, 4, 20].flatMap { count in
    [(count, true), (count, false)]
  }

  @Test(arguments: rollbacks)
  func `what is new after a restore is sent, however much of it there is`(
    queued: Int, wereTaken: Bool
  ) throws {
    let (phoneStore, laptopStore) = (MemoryPeerStore(), MemoryPeerStore())
    let duo = Duo(seed: 13, stores: [phoneStore, laptopStore])
    try duo.meet()
    for number in 0..<5 { duo.send([UInt8(number)], from: duo.phone) }
    #expect(duo.settle(within: .seconds(5)) { duo.phone.confirmedCount == 5 })
    let snapshot = phoneStore.snapshot
    // What comes after it has the numbers 6 to 9; the laptop has it, and may have taken it.
    if !wereTaken { duo.laptop.takeDelay = .seconds(100_000) }
    for number in 5..<9 { duo.send([UInt8(number)], from: duo.phone) }
    duo.clock.advance(by: .seconds(5))
    #expect(duo.phone.confirmedCount == (wereTaken ? 9 : 5))
    duo.kill(duo.phone)
    phoneStore.restore(snapshot)
    duo.medium.part(duo.phone.radio, duo.laptop.radio)
    try duo.launch(duo.phone)
    duo.phone.confirmedCount = 0
    let fresh = (0..<queued).map { [100, UInt8($0)] }
    for message in fresh { duo.send(message, from: duo.phone) }
    duo.clock.advance(by: .seconds(5))
    duo.kill(duo.laptop)
    duo.laptop.takeDelay = nil
    duo.laptop.lastNumber = [:]
    duo.laptop.taken = [:]
    try duo.launch(duo.laptop)
    duo.clock.advance(by: .seconds(1))
    // The program keeps the numbers of before no longer: they begin again.
    duo.laptop.lastNumber = [:]
    duo.laptop.taken = [:]
    duo.medium.meet(duo.phone.radio, duo.laptop.radio)
    #expect(duo.settle(within: .seconds(300)) { duo.phone.confirmedCount == queued })
    #expect(duo.laptop.taken[.records]?.suffix(queued) == fresh[...])
    #expect(phoneStore.snapshot.values.first?.queued[.records] == [])
  }

  @Test func `what was half there before a restore does not stop what comes after it`() throws {
    let (phoneStore, laptopStore) = (MemoryPeerStore(), MemoryPeerStore())
    let duo = Duo(seed: 14, stores: [phoneStore, laptopStore])
    try duo.meet()
    duo.send([1], on: .blobs, from: duo.phone)
    #expect(duo.settle(within: .seconds(5)) { duo.phone.confirmedCount == 1 })
    let snapshot = phoneStore.snapshot
    duo.medium.cut(atValue: duo.medium.carriedCount + 60)
    duo.send(someBytes(60_000, 1), on: .blobs, from: duo.phone)
    #expect(duo.settle(within: .seconds(30)) { !duo.isConnected })
    duo.kill(duo.phone)
    phoneStore.restore(snapshot)
    #expect(laptopStore.snapshot.values.first?.arriving[.blobs]?.count == 1)
    duo.laptop.lastNumber = [:]
    try duo.launch(duo.phone)
    duo.phone.confirmedCount = 0
    for number in 0..<3 { duo.send([7, UInt8(number)], on: .blobs, from: duo.phone) }
    #expect(duo.settle(within: .seconds(300)) { duo.phone.confirmedCount == 3 })
    #expect(duo.laptop.taken[.blobs]?.suffix(3) == [[7, 0], [7, 1], [7, 2]])
  }

  @Test func `cut again and again, who takes nothing holds its sender back, and no more`() throws {
    let (phoneStore, laptopStore) = (MemoryPeerStore(), MemoryPeerStore())
    let duo = Duo(seed: 15, stores: [phoneStore, laptopStore])
    try duo.meet()
    duo.laptop.takeDelay = .seconds(1_000_000)
    let messages = (0..<12 as Range<UInt64>).map { someBytes(60_000, $0) }
    for message in messages { duo.send(message, on: .blobs, from: duo.phone) }
    for round in 0..<15 {
      duo.clock.advance(by: .seconds(15))
      let held = laptopStore.snapshot.values.first?.arriving[.blobs]?.reduce(0) {
        $0 + $1.bytes.count
      }
      #expect(held ?? 0 > 60_000 && held ?? 0 <= PeerMailbox.heldBytesGoal, "round \(round)")
      duo.medium.cut(duo.phone.radio, duo.laptop.radio)
      #expect(duo.settle(within: .seconds(10)) { !duo.isConnected })
      #expect(duo.settle(within: .seconds(30)) { duo.isConnected }, "round \(round)")
    }
    let lossCount = Lock(0)
    let watching = duo.phone.link?.transitions.observe { transition in
      if case .ready = transition.from { lossCount.withLock { $0 += 1 } }
    }
    duo.clock.advance(by: .seconds(100))
    #expect(lossCount.withLock { $0 } == 0)
    watching?.cancel()
    // It is started anew, and takes what there is.
    duo.kill(duo.laptop)
    duo.laptop.takeDelay = nil
    try duo.launch(duo.laptop)
    #expect(duo.settle(within: .seconds(300)) { duo.phone.confirmedCount == 12 })
    #expect(duo.laptop.taken[.blobs] == messages)
  }
}
