import Foundation
import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionBluetooth

/// Bytes that no honest peer sends: nothing traps, nothing grows, nothing gets in.
@Suite struct HostileTests {
  static let count: Int =
    ProcessInfo.processInfo.environment["REUNION_FAULTS"] == "full" ? 200_000 : 20_000

  /// Two channels that talk without a radio; what passes may be changed on the way.
  final class Wire {
    let channels: [Channel]
    let correspondences: [PeerMailbox]
    var now = Moment(nanoseconds: 0)
    var hasAttached = [false, false]
    var hasEnded = [false, false]
    var frameCount = 0

    init(_ random: inout any RandomNumberGenerator) throws {
      func terms(_ number: Int) throws -> Greeting.Terms {
        Greeting.Terms(
          key: try KeyPair(secretKey: NoiseTests.bytes(number)), isKnown: { _ in true },
          invitations: { [] }, admitsStrangers: { true })
      }
      let peers = try (1...2).map {
        PeerID(bytes: try KeyPair(secretKey: NoiseTests.bytes($0)).publicKey)
      }.compactMap { $0 }
      channels = [
        try Channel(nil, terms: terms(1), frameBytesMax: 100, using: &random),
        try Channel(.known(peers[0]), terms: terms(2), frameBytesMax: 100, using: &random),
      ]
      correspondences = [
        try PeerMailbox(with: peers[1], store: MemoryPeerStore()),
        try PeerMailbox(with: peers[0], store: MemoryPeerStore()),
      ]
      channels[0].begin()
    }

    /// Carries what there is, once each way.
    func carry(_ change: (inout [UInt8]) -> Void) throws {
      now = now.advanced(by: .milliseconds(50))
      for side in 0...1 {
        var frames = channels[side].due(at: now)
        while let frame = channels[side].nextFrame(at: now) { frames.append(frame) }
        for var frame in frames {
          frameCount += 1
          change(&frame)
          channels[1 - side].receive(frame, at: now)
        }
      }
      for side in 0...1 {
        for event in channels[side].takeEvents() {
          switch event {
          case .introduced: channels[side].attach(correspondences[side], at: now)
          case .opened: hasAttached[side] = true
          case .ended: hasEnded[side] = true
          case .settled, .received, .drained: break
          }
        }
        for lane in Lane.allCases {
          while let message = correspondences[side].give(on: lane) {
            _ = try correspondences[side].take(message.number, on: lane)
            channels[side].acknowledge(message.number, on: lane, at: now)
          }
        }
      }
    }
  }

  static func mutate(_ frame: inout [UInt8], _ random: inout any RandomNumberGenerator) {
    switch Int.random(in: 0..<6, using: &random) {
    case 0: frame = []
    case 1: frame = Array(frame.prefix(Int.random(in: 0...frame.count, using: &random)))
    case 2: frame += (0..<Int.random(in: 1...500, using: &random)).map { _ in 0x81 }
    case 3:
      frame = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
    default:
      for _ in 0..<Int.random(in: 1...4, using: &random) where !frame.isEmpty {
        let index = Int.random(in: 0..<min(frame.count, 12), using: &random)
        let values: [UInt8] = [0, 1, 2, 0x7F, 0x80, 0x82, 0xFF, frame[index] &+ 1]
        frame[index] = values[Int.random(in: 0..<values.count, using: &random)]
      }
    }
  }

  @Test func `mutated frames and handshakes trap nothing and hold no memory`() throws {
    var random: any RandomNumberGenerator = MediumRandom(seed: 77)
    var (mutated, ended, opened) = (0, 0, 0)
    while mutated < Self.count {
      let wire = try Wire(&random)
      for side in 0...1 {
        for lane in Lane.allCases {
          _ = try wire.correspondences[side].queue(
            someBytes(Int.random(in: 0...600, using: &random), 1), on: lane,
            key: someBytes(32, random.next()))
        }
      }
      let chances = [0.02, 0.2, 1.0]
      let chance = chances[Int.random(in: 0..<3, using: &random)]
      for _ in 0..<40 where !wire.hasEnded[0] || !wire.hasEnded[1] {
        try wire.carry { frame in
          guard Double.random(in: 0..<1, using: &random) < chance else { return }
          mutated += 1
          Self.mutate(&frame, &random)
        }
        #expect(wire.correspondences.allSatisfy { $0.room.allSatisfy { $0 > -65_536 } })
      }
      if wire.hasEnded[0] || wire.hasEnded[1] { ended += 1 }
      if wire.hasAttached[0] { opened += 1 }
    }
    #expect(ended > 0 && opened > 0)
    print(
      "fuzz: bluetooth, \(mutated) mutated frames, \(ended) channels ended, \(opened) had opened, "
        + "0 traps")
  }

  @Test func `without mutations all of it arrives (negative control)`() throws {
    var random: any RandomNumberGenerator = MediumRandom(seed: 78)
    let wire = try Wire(&random)
    _ = try wire.correspondences[0].queue([1, 2], on: .records, key: someBytes(32, 1))
    for _ in 0..<40 { try wire.carry { _ in } }
    #expect(wire.correspondences[0].queuedCount == 0 && wire.hasAttached == [true, true])
  }

  @Test func `a peer that ignores the credits is cut off, with its bytes bounded`() throws {
    var inbox = LaneInbox(taken: 0, arriving: [])
    let mailbox = try PeerMailbox(
      with: try #require(PeerID(bytes: NoiseTests.bytes(1))), store: MemoryPeerStore())
    var fault: ChannelFault?
    for number in 1...10 as ClosedRange<UInt64> {
      let sealed = try SealedMessage(
        someBytes(65_536, number), number: number, key: someBytes(32, number))
      let head = sealed.head.bytes
      do {
        for bytes in [[UInt8(head.count)] + head, sealed.bytes] {
          try mailbox.receive(bytes[...], on: .blobs) { $0 }
        }
      } catch {
        fault = error as? ChannelFault
        break
      }
    }
    #expect(fault == .violation)
    inbox.pause()
    #expect(mailbox.room[1] > -2 * 65_552)
  }

  @Test func `a head that promises too much, too little or another number is refused`() throws {
    for (number, byteCount) in [(2, 100), (0, 100), (1, 15), (1, 65_553)] {
      var inbox = LaneInbox(taken: 0, arriving: [])
      let head = MessageHead(
        number: UInt64(number), byteCount: byteCount, key: someBytes(32, 1)
      ).bytes
      #expect(throws: (any Error).self) {
        try inbox.receive(([UInt8(head.count)] + head)[...], open: { $0 }, note: { _ in })
      }
    }
    // A sealed head that is longer than any.
    var inbox = LaneInbox(taken: 0, arriving: [])
    #expect(throws: ChannelFault.violation) {
      try inbox.receive([255, 0, 0], open: { $0 }, note: { _ in })
    }
  }

  @Test func `frames are read as they were written, and nothing else is a frame`() {
    let frames: [Frame] = [
      .piece(stream: 2, sequence: 65_535, bytes: [1, 2, 3]), .ping, .close(.busy),
      .acknowledgement(Frame.Acknowledgement(next: 7, early: 1 << 63 | 5, credits: [64, 0])),
    ]
    for frame in frames { #expect(Frame(frame.bytes)?.bytes == frame.bytes) }
    for bytes in [[], [3, 0, 0, 1], [0, 0, 0], [0x80, 1], [0x81, 0], [0x82], [0xFF]] as [[UInt8]] {
      #expect(Frame(bytes) == nil)
    }
    #expect(Frame([0x82, 99]) == .close(.other))
  }
}
