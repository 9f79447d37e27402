import ReunionFlow
import Testing

@testable import ReunionBluetooth

/// Bytes of those whom nobody knows: by an invitation, or by a code that people compare.
@Suite struct HostileStrangerTests {
  /// Each is in a greeting of its own, which computes for a millisecond and more.
  static let count = HostileTests.count / 16

  /// How a stranger comes.
  enum Way: CaseIterable {
    case invited, wronglyInvited, byCode, byUnwantedCode

    /// Whether it gets as far as to be known, or compared.
    var isAdmitted: Bool { self == .invited || self == .byCode }
  }

  /// One that was found, and a stranger that connects; what passes may be changed on the way.
  final class Meeting {
    let way: Way
    let channels: [Channel]
    let peers: [PeerID]
    var now = Moment(nanoseconds: 0)
    var introductions: [Greeting.Introduction?] = [nil, nil]
    var hasEnded = [false, false]
    /// Whether the one who was found has taken messages from the other.
    var isHeard = false
    var heldBytesMost = 0

    init(_ way: Way, using random: inout any RandomNumberGenerator) throws {
      self.way = way
      let invitations = [Invitation(using: &random), Invitation(using: &random)]
      var source = random
      func terms(_ number: Int) throws -> Greeting.Terms {
        let extra = [0, 40, Greeting.extraBytesMax].randomElement(using: &source) ?? 0
        return Greeting.Terms(
          key: try KeyPair(secretKey: NoiseTests.bytes(number)), isKnown: { _ in false },
          invitations: { [invitations[0]] }, admitsStrangers: { way == .byCode },
          extra: someBytes(extra, UInt64(number)))
      }
      let both = try [terms(1), terms(2)]
      random = source
      peers = both.map(\.id)
      let said: Greeting.Way =
        switch way {
        case .invited: .invitation(invitations[0])
        case .wronglyInvited: .invitation(invitations[1])
        case .byCode, .byUnwantedCode: .code
        }
      channels = [
        try Channel(nil, terms: both[0], frameBytesMax: 100, using: &random),
        try Channel(said, terms: both[1], frameBytesMax: 100, using: &random),
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
          change(&frame)
          channels[1 - side].receive(frame, at: now)
          heldBytesMost = max(heldBytesMost, channels[1 - side].heldBytes)
        }
      }
      for side in 0...1 {
        for event in channels[side].takeEvents() {
          switch event {
          case .introduced(let introduction):
            introductions[side] = introduction
            // A side that holds the invitation speaks at once. A code waits for people.
            if side == 1, introduction.code == nil {
              let store = MemoryPeerStore()
              channels[1].attach(
                try PeerMailbox(with: introduction.peer, store: store), at: now)
            }
          case .ended: hasEnded[side] = true
          case .opened, .settled, .received, .drained: if side == 0 { isHeard = true }
          }
        }
      }
    }

    /// Goes on until both have ended, or nothing new comes.
    func run(_ change: (inout [UInt8]) -> Void) throws {
      for _ in 0..<60 where !hasEnded[0] || !hasEnded[1] { try carry(change) }
    }

    /// What no bytes whatever may lead to.
    func check() {
      for (side, introduction) in introductions.enumerated() {
        guard let introduction else { continue }
        #expect(way.isAdmitted && introduction.peer == peers[1 - side])
        #expect((introduction.code != nil) == (way == .byCode))
      }
      if introductions.allSatisfy({ $0 != nil }) {
        #expect(introductions[0]?.code == introductions[1]?.code)
      }
      #expect(!isHeard)
      #expect(heldBytesMost < 65_536)
    }
  }

  @Test(arguments: Way.allCases)
  func `mutated handshakes of strangers trap nothing, hold no memory, and let nobody else in`(
    way: Way
  ) throws {
    var random: any RandomNumberGenerator = MediumRandom(seed: 79)
    var (mutated, ended, introduced) = (0, 0, 0)
    while mutated < Self.count {
      let meeting = try Meeting(way, using: &random)
      let chance = [0.002, 0.05, 1][Int.random(in: 0..<3, using: &random)]
      try meeting.run { frame in
        guard Double.random(in: 0..<1, using: &random) < chance else { return }
        mutated += 1
        if Bool.random(using: &random), let index = frame.indices.randomElement(using: &random) {
          frame[index] ^= UInt8.random(in: 1...255, using: &random)
        } else {
          HostileTests.mutate(&frame, &random)
        }
      }
      meeting.check()
      if meeting.hasEnded.contains(true) { ended += 1 }
      if meeting.introductions[0] != nil { introduced += 1 }
    }
    #expect(ended > 0 && (introduced > 0) == way.isAdmitted)
    print(
      "fuzz: bluetooth, strangers \(way), \(mutated) mutated frames, \(ended) channels ended, "
        + "\(introduced) were introduced, 0 traps")
  }

  @Test func `a stranger whose code nobody has compared gets nothing, whatever it says`() throws {
    var random: any RandomNumberGenerator = MediumRandom(seed: 80)
    var (said, ended) = (0, 0)
    while said < Self.count {
      let meeting = try Meeting(.byCode, using: &random)
      try meeting.run { _ in }
      try #require(meeting.introductions[0]?.code != nil)
      for _ in 0..<20 where !meeting.hasEnded[0] {
        for _ in 0..<Int.random(in: 1...8, using: &random) {
          said += 1
          let count = Int.random(in: 0...[4, 40, 4000][said % 3], using: &random)
          try meeting.channels[1].seal(
            UInt8.random(in: 0...7, using: &random), someBytes(count, random.next()))
        }
        try meeting.carry { _ in }
      }
      meeting.check()
      if meeting.hasEnded[0] { ended += 1 }
    }
    #expect(ended > 0)
    print("fuzz: bluetooth, \(said) words of strangers, \(ended) channels ended, 0 traps")
  }

  @Test(arguments: Way.allCases)
  func `without mutations those come in who may (negative control)`(way: Way) throws {
    var random: any RandomNumberGenerator = MediumRandom(seed: 81)
    let meeting = try Meeting(way, using: &random)
    try meeting.run { _ in }
    meeting.check()
    #expect(meeting.introductions.allSatisfy { ($0 != nil) == way.isAdmitted })
    #expect(meeting.hasEnded == (way.isAdmitted ? [false, false] : [true, true]))
  }
}
