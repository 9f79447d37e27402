import ReunionFlow
import Testing

@testable import ReunionBluetooth

/// Which devices come in, which do not, and what a stranger learns.
@Suite struct GreetingTests {
  @Test func `a code that both compare makes two strangers verified peers`() throws {
    let duo = Duo(seed: 3)
    try duo.launch(duo.laptop)
    duo.laptop.bluetooth?.admitsStrangers = true
    try duo.launch(duo.phone)
    duo.find()
    duo.phone.link = duo.phone.bluetooth?.meet(duo.laptop.radio.device)
    #expect(
      duo.settle(within: .seconds(10)) {
        duo.phone.unverified != nil && duo.laptop.unverified != nil
      })
    let codes = [duo.phone.unverified?.code, duo.laptop.unverified?.code]
    #expect(codes[0] == codes[1] && codes[0]?.count == 6)
    #expect(duo.phone.unverified?.id == duo.laptop.bluetooth?.id)
    // Nobody has vouched for it: no message can be sent, and none is kept.
    duo.clock.advance(by: .seconds(30))
    #expect(duo.phone.peer == nil && duo.laptop.peer == nil)
    duo.phone.unverified?.confirm()
    duo.clock.advance(by: .seconds(5))
    #expect(!duo.isConnected)
    duo.laptop.unverified?.confirm()
    #expect(duo.settle(within: .seconds(10)) { duo.isConnected })
    duo.send([1, 2, 3], from: duo.laptop)
    #expect(duo.settle(within: .seconds(5)) { duo.laptop.confirmedCount == 1 })
  }

  @Test func `somebody in between has another code with each side`() throws {
    // The one in between greets both with keys of its own.
    func code(_ seed: UInt64) throws -> (phone: String?, laptop: String?) {
      var random: any RandomNumberGenerator = MediumRandom(seed: seed)
      func terms(_ number: Int) throws -> Greeting.Terms {
        Greeting.Terms(
          key: try KeyPair(secretKey: NoiseTests.bytes(number)), isKnown: { _ in false },
          invitations: { [] }, admitsStrangers: { true })
      }
      func meet(_ found: Int, _ other: Int) throws -> (String?, String?) {
        var one = try Greeting(nil, terms: terms(found), using: &random)
        var two = try Greeting(.code, terms: terms(other), using: &random)
        let (second, _) = try two.receive(try one.begin())
        let (third, ofOne) = try one.receive(second ?? [])
        let (_, ofTwo) = try two.receive(third ?? [])
        return (ofOne?.code, ofTwo?.code)
      }
      let (laptop, evil) = try meet(1, 9)
      let (same, phone) = try meet(9, 2)
      #expect(laptop == evil && same == phone)
      return (phone, laptop)
    }
    for seed in 1...20 as ClosedRange<UInt64> {
      let (phone, laptop) = try code(seed)
      #expect(phone != laptop)
    }
  }

  @Test func `a key or a nonce that was not committed to is refused`() throws {
    var random: any RandomNumberGenerator = MediumRandom(seed: 1)
    func terms(_ number: Int) throws -> Greeting.Terms {
      Greeting.Terms(
        key: try KeyPair(secretKey: NoiseTests.bytes(number)), isKnown: { _ in false },
        invitations: { [] }, admitsStrangers: { true })
    }
    // The one who was found says one commitment and reveals something else: by hand, without `Greeting`.
    var two = try Greeting(.code, terms: terms(2), using: &random)
    var noise = NoiseHandshake(
      isInitiator: true, staticKey: try KeyPair(secretKey: NoiseTests.bytes(1)),
      ephemeralKey: try KeyPair(secretKey: NoiseTests.bytes(3)),
      prologue: Array("ReunionBluetooth".utf8) + [1, 1])
    let commitment = [UInt8](repeating: 7, count: 32) + [0]
    let (second, _) = try two.receive([1, 1] + (try noise.write(commitment)))
    _ = try noise.read(second ?? [])
    let third = try noise.write([UInt8](repeating: 5, count: 16))
    #expect(throws: ChannelFault.violation) { try two.receive(third) }
  }

  @Test func `without its invitation nobody comes in, or learns who this is`() throws {
    let duo = Duo(seed: 5)
    try duo.launch(duo.laptop)
    try duo.launch(duo.phone)
    duo.find()
    let other = Invitation()
    duo.phone.link = duo.phone.bluetooth?.meet(duo.laptop.radio.device, by: other)
    duo.clock.advance(by: .seconds(20))
    #expect(!duo.isConnected && duo.phone.peer == nil && duo.laptop.peer == nil)
    if case .barred(_, .refused)? = duo.phone.link?.state.value {
    } else {
      Issue.record("\(String(describing: duo.phone.link?.state.value))")
    }
    // It waits a minute, and comes in once it is invited.
    duo.laptop.bluetooth?.open(other)
    #expect(duo.settle(within: .seconds(100)) { duo.isConnected })
  }

  @Test func `no static key is on the air before the keys are agreed`() throws {
    for (way, isAdmitted) in [(Greeting.Way.code, true), (.code, false)] {
      var random: any RandomNumberGenerator = MediumRandom(seed: 4)
      func terms(_ number: Int) throws -> Greeting.Terms {
        Greeting.Terms(
          key: try KeyPair(secretKey: NoiseTests.bytes(number)), isKnown: { _ in false },
          invitations: { [] }, admitsStrangers: { isAdmitted })
      }
      var (one, two) = (
        try Greeting(nil, terms: terms(1), using: &random),
        try Greeting(way, terms: terms(2), using: &random)
      )
      let first = try one.begin()
      let (second, _) = try two.receive(first)
      var said = first + (second ?? [])
      // A stranger who is not admitted hears no third message, in which the found one says who it is.
      if isAdmitted { said += try one.receive(second ?? []).answer ?? [] }
      if !isAdmitted {
        #expect(throws: GreetingRefusal(reason: .stranger)) { try one.receive(second ?? []) }
      }
      for number in [1, 2] {
        let key = try KeyPair(secretKey: NoiseTests.bytes(number)).publicKey
        #expect(!said.contains(key))
      }
    }
  }

  @Test func `a handshake with 4 KiB on each side works at every MTU`() throws {
    for mtu in [23, 185, 517] {
      var quality = RadioQuality()
      quality.mtu = mtu
      let duo = Duo(seed: 6, quality: quality)
      duo.extra = someBytes(Greeting.extraBytesMax, 1)
      try duo.meet()
      #expect(duo.isConnected, "MTU \(mtu)")
    }
  }

  @Test func `another suite or version is refused with a reason`() throws {
    for start in [[1, 2], [2, 1]] as [[UInt8]] {
      var random: any RandomNumberGenerator = MediumRandom(seed: 4)
      let terms = Greeting.Terms(
        key: try KeyPair(secretKey: NoiseTests.bytes(1)), isKnown: { _ in true },
        invitations: { [] }, admitsStrangers: { true })
      var found = try Greeting(nil, terms: terms, using: &random)
      var other = try Greeting(.code, terms: terms, using: &random)
      let first = start + (try found.begin()).dropFirst(2)
      #expect(throws: GreetingRefusal(reason: .unknownSuite)) { try other.receive(first) }
    }
  }

  /// Strangers with a radio each, who try to get to know a laptop.
  final class Crowd {
    let duo: Duo
    private var strangers: [Bluetooth] = []
    private var watching: [SignalSubscription] = []
    let codeCount = Lock(0)

    init(_ duo: Duo) { self.duo = duo }

    /// One more comes, and asks for a code to compare, or by an invitation that is none.
    func come(by invitation: Invitation? = nil) throws -> KeptLink {
      let number = strangers.count
      let stranger = try Bluetooth(
        radio: duo.medium.radio("stranger \(number)"), store: MemoryPeerStore(), clock: duo.clock,
        random: MediumRandom(seed: UInt64(1000 + number)))
      strangers.append(stranger)
      let codeCount = codeCount
      watching.append(stranger.meetings.observe { _ in codeCount.withLock { $0 += 1 } })
      let scan = stranger.scan(for: [ReunionService.id], limit: .seconds(1)) { _ in }
      duo.clock.advance(by: .seconds(1))
      scan.cancel()
      return stranger.meet(duo.laptop.radio.device, by: invitation)
    }

    /// How many codes one more is shown, who leaves politely.
    func visit(by invitation: Invitation? = nil) throws -> Int {
      let before = codeCount.withLock { $0 }
      let link = try come(by: invitation)
      duo.clock.advance(by: .seconds(3))
      link.close()
      duo.clock.advance(by: .seconds(1))
      return codeCount.withLock { $0 } - before
    }
  }

  /// A laptop that knows the phone, was started anew, and lets strangers compare codes.
  static func laptopThatKnowsAPhone(seed: UInt64) throws -> Duo {
    let duo = Duo(seed: seed)
    try duo.meet()
    duo.medium.part(duo.phone.radio, duo.laptop.radio)
    duo.kill(duo.laptop)
    duo.clock.advance(by: .seconds(90))
    try duo.launch(duo.laptop)
    duo.laptop.bluetooth?.admitsStrangers = true
    return duo
  }

  @Test(arguments: [true, false])
  func `strangers may try five times a minute, however politely, and friends come all the same`(
    isInvited: Bool
  ) throws {
    let duo = try Self.laptopThatKnowsAPhone(seed: 8)
    let crowd = Crowd(duo)
    // Codes are tried, and what is guessed of an invitation.
    for number in 0..<9 {
      let codes = try crowd.visit(by: isInvited && number < 5 ? Invitation() : nil)
      #expect(codes == (number < 5 && !isInvited ? 1 : 0), "\(number)")
    }
    duo.medium.meet(duo.phone.radio, duo.laptop.radio)
    #expect(duo.settle(within: .seconds(5)) { duo.isConnected })
    duo.clock.advance(by: .seconds(60))
    #expect(try crowd.visit() == 1)
    #expect(duo.isConnected)
  }

  @Test func `a device that knows nothing but how to connect tries as often as it likes, in vain`()
    throws
  {
    let duo = try Self.laptopThatKnowsAPhone(seed: 9)
    let stranger = duo.medium.radio("stranger")
    let heard = Lock<[Frame?]>([])
    stranger.start { event in
      switch event {
      case .connected(let device): stranger.subscribe(to: ReunionService.outward, of: device)
      case .value(let device, _, let bytes):
        heard.withLock { $0.append(Frame(bytes)) }
        // What no peer sends: the end of the greeting.
        _ = stranger.writeWithoutResponse([0xFF], to: ReunionService.inward, of: device)
      default: break
      }
    }
    stranger.scan(for: [])
    duo.clock.advance(by: .seconds(1))
    for _ in 0..<10 {
      heard.withLock { $0 = [] }
      stranger.connect(to: duo.laptop.radio.device)
      duo.clock.advance(by: .seconds(1))
      stranger.disconnect(from: duo.laptop.radio.device)
      duo.clock.advance(by: .seconds(1))
      // The first message of the greeting, which says nothing of who this is; then it is over.
      #expect(heard.withLock { $0.last } == .close(.violation))
    }
    duo.medium.meet(duo.phone.radio, duo.laptop.radio)
    #expect(duo.settle(within: .seconds(5)) { duo.isConnected })
  }

  @Test func `strangers who sit at their codes leave room for friends, and in the end for others`()
    throws
  {
    let duo = try Self.laptopThatKnowsAPhone(seed: 10)
    let crowd = Crowd(duo)
    // As many as there is room for, a few in each minute; none of them leaves.
    for _ in 0..<StrangerLimit.inboundMax {
      _ = try crowd.come()
      duo.clock.advance(by: .seconds(15))
    }
    #expect(crowd.codeCount.withLock { $0 } >= StrangerLimit.inboundMax)
    duo.medium.meet(duo.phone.radio, duo.laptop.radio)
    #expect(duo.settle(within: .seconds(90)) { duo.isConnected })
    // Each had its time, and others get theirs.
    let before = crowd.codeCount.withLock { $0 }
    duo.clock.advance(by: .seconds(600))
    #expect(crowd.codeCount.withLock { $0 } > before)
    #expect(duo.isConnected)
  }

  @Test func `strangers who say nothing leave room for a friend, as many as they are`() throws {
    let duo = try Self.laptopThatKnowsAPhone(seed: 11)
    let strangers = (0..<StrangerLimit.inboundMax).map { duo.medium.radio("silent \($0)") }
    for stranger in strangers {
      stranger.start { event in
        if case .connected(let device) = event {
          stranger.subscribe(to: ReunionService.outward, of: device)
        }
        if case .disconnected(let device, _) = event { stranger.connect(to: device) }
      }
      stranger.scan(for: [])
    }
    duo.clock.advance(by: .seconds(1))
    for stranger in strangers { stranger.connect(to: duo.laptop.radio.device) }
    duo.clock.advance(by: .seconds(1))
    duo.medium.meet(duo.phone.radio, duo.laptop.radio)
    #expect(duo.settle(within: .seconds(5)) { duo.isConnected })
  }

  @Test func `the code of an invitation is read as it is written`() throws {
    let invitation = Invitation()
    #expect(Invitation(invitation.description) == invitation)
    #expect(Invitation(invitation.description.uppercased()) == invitation)
    #expect(Invitation("nonsense") == nil && Invitation("") == nil)
  }
}

extension Array where Element == UInt8 {
  /// Whether bytes stand in these, in one piece.
  func contains(_ other: [UInt8]) -> Bool {
    guard count >= other.count else { return false }
    return (0...(count - other.count)).contains { Array(self[$0..<$0 + other.count]) == other }
  }
}
