import ReunionCore
import Testing

@testable import ReunionBluetooth
@testable import ReunionNearby

/// When two devices may talk about a space: two gates, and messages that come late but in order, or
/// behind those that are urgent (docs/protocol.md 2.17).
@Suite struct GateTests {
  /// Two gates with messages on their way between them.
  struct Pair {
    static let space = SpaceID(high: 1, low: 2)
    let keys: [DeviceKeyPair]
    let digest: [UInt8]
    var lists: [MemberList?]
    var gates: [PeerGate]
    /// What is on its way from each side.
    var ways: [[SpaceMessage]] = [[], []]
    /// The same, of what everything else may overtake.
    var slowWays: [[SpaceMessage]] = [[], []]
    /// What was delivered to each side: from which of the other's links, and to which of its own.
    var delivered: [[(from: UInt64, to: UInt64)]] = [[], []]
    var isServed = [false, false]
    /// Whether the program of a side listens.
    var isListening = [false, false]

    /// The program of a side begins to listen.
    mutating func listen(_ side: Int) {
      guard !isListening[side] else { return }
      isListening[side] = true
      take(.reached, side)
    }

    static let keys = (1...2).compactMap { DeviceKeyPair(seed: someBytes(32, UInt64($0))) }
    static let list = Result {
      var list = try MemberList(of: space, foundedBy: keys[0], device: 1)
      _ = try list.set(keys[1].publicKey, device: 2, to: .edit, by: keys[0])
      return list
    }

    init(_ bugs: SeededBugs = []) throws {
      keys = Self.keys
      let list = try Self.list.get()
      digest = list.digest
      lists = [list, list]
      gates = [PeerGate(), PeerGate()]
      for side in 0...1 { gates[side].seededBugs = bugs }
    }

    mutating func take(_ event: PeerGate.Event, _ side: Int) {
      let own = PeerGate.Own(key: keys[side].publicKey, list: lists[side])
      for effect in gates[side].next(event, own) {
        switch effect {
        case .stand:
          let gate = gates[side]
          ways[side].append(
            .standing(
              SpaceMessage.Standing(
                number: gate.number, after: gate.after, heard: gate.theirs?.number ?? 0,
                isServed: gate.isServed, digest: digest,
                key: keys[side].publicKey, device: UInt64(side + 1), signature: [])))
        case .say(let message): ways[side].append(message)
        case .deliver(let bytes):
          delivered[side].append((UInt64(bytes.first ?? 0), gates[side].number))
        case .open, .close, .refuse, .tellMembers: break
        }
      }
    }

    /// Something that was said comes to the other side.
    mutating func carry(from side: Int, isSlow: Bool = false) {
      guard isListening[1 - side] else {
        // Nobody listens there yet.
        ways[side] = []
        slowWays[side] = []
        return
      }
      if isSlow {
        guard !slowWays[side].isEmpty else { return }
        return take(.heard(slowWays[side].removeFirst()), 1 - side)
      }
      guard !ways[side].isEmpty else { return }
      take(.heard(ways[side].removeFirst()), 1 - side)
    }

    var isOpen: Bool { gates[0].isOpen && gates[1].isOpen }

    /// The open link of a side says its number.
    mutating func speak(_ side: Int, isSlow: Bool) {
      guard gates[side].isOpen else { return }
      let number = gates[side].number
      let message = SpaceMessage.message(number, [UInt8(truncatingIfNeeded: number)][...])
      if isSlow { slowWays[side].append(message) } else { ways[side].append(message) }
    }

    mutating func settle() {
      for _ in 0..<200 {
        for side in 0...1 {
          carry(from: side)
          carry(from: side, isSlow: true)
        }
      }
    }
  }

  /// Random events of two sides, with messages that are on their way for long; what went wrong.
  static func play(seed: UInt64, _ bugs: SeededBugs = []) throws -> String? {
    var random = MediumRandom(seed: seed)
    var pair = try Pair(bugs)
    for _ in 0..<80 {
      let side = Int.random(in: 0...1, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0 where !pair.isListening[side]: pair.listen(side)
      case _ where !pair.isListening[side]: pair.carry(from: 1 - side)
      case 0: pair.take(.linkClosed, side)
      case 1:
        pair.isServed[side].toggle()
        pair.take(.served(pair.isServed[side]), side)
      case 2 where random.happens(0.3):
        // The connection is lost: what was on its way is gone.
        pair.ways = [[], []]
        pair.slowWays = [[], []]
        for side in 0...1 where pair.isListening[side] { pair.take(.lost, side) }
        for side in 0...1 where pair.isListening[side] { pair.take(.reached, side) }
      case 2, 3: pair.speak(side, isSlow: random.happens(0.5))
      default: pair.carry(from: side, isSlow: random.happens(0.3))
      }
    }
    for side in 0...1 {
      pair.listen(side)
      pair.carry(from: side)
    }
    for side in 0...1 { pair.take(.served(false), side) }
    pair.settle()
    guard pair.isOpen else { return "seed \(seed): they never open" }
    guard pair.ways.allSatisfy(\.isEmpty) else { return "seed \(seed): they never fall silent" }
    for side in 0...1 {
      // Within one link of the one, what comes is of one link of the other.
      for (_, own) in Dictionary(grouping: pair.delivered[side], by: \.to)
      where Set(own.map(\.from)).count > 1 {
        return "seed \(seed): one link heard two"
      }
    }
    return nil
  }

  @Test func `whatever happens, both open to each other, and a link hears one link alone`() throws {
    for seed in 1...(WalkTests.isFull ? 100_000 : 500) as ClosedRange<UInt64> {
      let fault = try Self.play(seed: seed)
      #expect(fault == nil)
      if fault != nil { return }
    }
  }

  @Test(arguments: [SeededBug.staleMessageDelivered, .saidOnce])
  func `what is wrong with a gate is seen (negative control)`(bug: SeededBug) throws {
    let caught = try (1...3000 as ClosedRange<UInt64>).contains {
      try Self.play(seed: $0, [bug]) != nil
    }
    #expect(caught)
  }

  @Test func `both rest while both are served, and one alone is not enough`() throws {
    var pair = try Pair()
    for side in 0...1 { pair.listen(side) }
    pair.settle()
    #expect(pair.isOpen)
    pair.take(.served(true), 0)
    pair.settle()
    #expect(pair.isOpen)
    pair.take(.served(true), 1)
    pair.settle()
    #expect(!pair.gates[0].isOpen && !pair.gates[1].isOpen)
    pair.take(.served(false), 1)
    pair.settle()
    #expect(pair.isOpen)
  }

  @Test func `messages that were changed on the way, or made up, trap nothing`() throws {
    var random = MediumRandom(seed: 5)
    let pair = try Pair()
    let list = try #require(pair.lists[0])
    let messages: [SpaceMessage] = [
      .standing(
        SpaceMessage.Standing(
          number: 3, after: 2, heard: 1, isServed: true, digest: list.digest,
          key: pair.keys[0].publicKey,
          device: 1, signature: someBytes(64, 1))),
      .members(founder: list.founder, list.statements), .closed(4), .refused(Array("No.".utf8)),
      .message(3, [1, 2, 3]),
    ]
    for message in messages {
      let read = try #require(try SpaceMessage.read(message.bytes(about: Pair.space)))
      #expect(read.space == Pair.space && read.message == message)
    }
    var readCount = 0
    for _ in 0..<20_000 {
      var bytes = messages.randomElement(using: &random)?.bytes(about: Pair.space) ?? []
      switch Int.random(in: 0..<3, using: &random) {
      case 0: bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
      case 1: bytes += someBytes(Int.random(in: 1...40, using: &random), random.next())
      default:
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8(
            truncatingIfNeeded: random.next())
        }
      }
      guard let (_, message) = try? SpaceMessage.read(bytes) else { continue }
      readCount += 1
      var hit = try Pair()
      for side in 0...1 { hit.take(.reached, side) }
      hit.take(.heard(message), 1)
    }
    #expect(readCount > 1000)
  }

  @Test func `numbers that no honest device reaches are not read, and the others trap nothing`()
    throws
  {
    let pair = try Pair()
    let most = UInt64(Int64.max)
    func standing(_ number: UInt64, after: UInt64, heard: UInt64) -> SpaceMessage {
      .standing(
        SpaceMessage.Standing(
          number: number, after: after, heard: heard, isServed: false, digest: pair.digest,
          key: pair.keys[0].publicKey, device: 1, signature: someBytes(64, 1)))
    }
    for number in [0, most - 1, most, most + 1, .max - 1, .max] {
      for message in [
        standing(number, after: 0, heard: 0), standing(1, after: number, heard: 0),
        standing(1, after: 0, heard: number), .closed(number), .message(number, [1]),
      ] {
        let read = try? SpaceMessage.read(message.bytes(about: Pair.space))
        #expect((read == nil) == (number > most), "\(message)")
        guard let read else { continue }
        // Before a link is open, and while one is.
        for isOpen in [false, true] {
          var hit = try Pair()
          if isOpen {
            for side in 0...1 { hit.listen(side) }
            hit.settle()
          } else {
            hit.listen(1)
          }
          hit.take(.heard(read.message), 1)
          hit.take(.heard(standing(2, after: number, heard: number)), 1)
          for event in [.linkClosed, .lost, .reached] as [PeerGate.Event] { hit.take(event, 1) }
          hit.settle()
        }
      }
    }
  }
}
