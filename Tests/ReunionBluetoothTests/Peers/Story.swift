import struct ReunionCore.SeededBug
import struct ReunionCore.SeededBugs
import ReunionFlow

@testable import ReunionBluetooth

/// A random history of two devices in a hostile medium, from one seed, and what must hold after it.
struct Story {
  let seed: UInt64
  var bugs: SeededBugs = []
  /// How likely it is that the disk of a side fails at what it does.
  var diskFailureChance = 0.0

  /// What a story came to.
  struct Outcome {
    var violations: [String] = []
    var sentCount = 0
    var cutCount = 0
    var killCount = 0
    var valueCount = 0
    var diskFailureCount = 0
  }

  func run() throws -> Outcome {
    var random = MediumRandom(seed: seed)
    var quality = RadioQuality()
    quality.mtu = [23, 185, 247, 517].randomElement(using: &random) ?? 517
    quality.lossChance = random.happens(0.5) ? Double.random(in: 0...0.05, using: &random) : 0
    quality.duplicateChance = random.happens(0.5) ? Double.random(in: 0...0.05, using: &random) : 0
    quality.reorderChance = random.happens(0.5) ? Double.random(in: 0...0.2, using: &random) : 0
    quality.cutChance = random.happens(0.5) ? Double.random(in: 0...0.01, using: &random) : 0
    let stores = (0..<2 as Range<UInt64>).map {
      FailingPeerStore(MemoryPeerStore(), seed: seed * 2 + $0, chance: diskFailureChance)
    }
    let duo = Duo(seed: seed, quality: quality, bugs: bugs, stores: stores)
    var outcome = Outcome()
    try duo.launch(duo.laptop)
    try duo.launch(duo.phone)
    duo.find()
    duo.phone.link = duo.phone.bluetooth?.meet(duo.laptop.radio.device, by: duo.invitation)
    guard duo.settle(within: .seconds(300), { duo.isConnected }) else {
      outcome.violations.append("They did not meet.")
      return outcome
    }
    let sides = [duo.phone, duo.laptop]
    for side in sides where random.happens(0.5) {
      side.takeDelay = .milliseconds(Int.random(in: 1...2000, using: &random))
    }
    var sent: [[Lane: [Sent]]] = [[:], [:]]
    for _ in 0..<Int.random(in: 4...14, using: &random) {
      let side = random.happens(0.5) ? 0 : 1
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<6:
        let lane: Lane = random.happens(0.5) ? .records : .blobs
        let message = Sent(bytes: someBytes(byteCount(&random), random.next()))
        sent[side][lane, default: []].append(message)
        duo.send(message.bytes, on: lane, from: sides[side]) {
          message.isRefused.withLock { $0 = true }
        }
        outcome.sentCount += 1
      case 6:
        duo.medium.cut(duo.phone.radio, duo.laptop.radio)
        outcome.cutCount += 1
      case 7:
        duo.medium.part(duo.phone.radio, duo.laptop.radio)
        outcome.cutCount += 1
        let seconds = random.happens(0.1) ? 86_400 : Int.random(in: 1...200, using: &random)
        duo.clock.advance(by: .seconds(seconds))
        duo.medium.meet(duo.phone.radio, duo.laptop.radio)
      case 8:
        sides[side].radio.setPower(false)
        duo.clock.advance(by: .milliseconds(Int.random(in: 1...40_000, using: &random)))
        sides[side].radio.setPower(true)
        if side == 1 { duo.laptop.bluetooth?.advertise() }
      case 9:
        sides[side].radio.restartService()
        outcome.cutCount += 1
      default:
        duo.kill(sides[side])
        outcome.killCount += 1
        duo.clock.advance(by: .milliseconds(Int.random(in: 1...60_000, using: &random)))
        try duo.launch(sides[side])
      }
      duo.clock.advance(by: .milliseconds(Int.random(in: 0...1500, using: &random)))
    }
    outcome.diskFailureCount = stores.reduce(0) { $0 + $1.failureCount }
    for store in stores { store.heal() }
    // What the program was told that it could not send is not to arrive.
    let kept = sent.map { lanes in
      lanes.mapValues { $0.filter { !$0.isRefused.withLock(\.self) }.map(\.bytes) }
    }
    judge(duo, kept, &outcome)
    return outcome
  }

  /// A message that the program wanted to send.
  private final class Sent: Sendable {
    let bytes: [UInt8]
    let isRefused = Lock(false)

    init(bytes: [UInt8]) { self.bytes = bytes }
  }

  private func byteCount(_ random: inout MediumRandom) -> Int {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: 0
    case 1..<7: Int.random(in: 1...600, using: &random)
    case 7..<9: Int.random(in: 600...8000, using: &random)
    default: random.happens(0.2) ? 65_536 : Int.random(in: 8000...30_000, using: &random)
    }
  }

  private func judge(_ duo: Duo, _ sent: [[Lane: [[UInt8]]]], _ outcome: inout Outcome) {
    // The end of the story: everything works, but the medium stays as it is.
    var quality = duo.medium.quality
    quality.cutChance = 0
    duo.medium.quality = quality
    func hasAll(_ side: Duo.Side, _ sent: [Lane: [[UInt8]]]) -> Bool {
      Lane.allCases.allSatisfy { (side.taken[$0] ?? []).count >= (sent[$0] ?? []).count }
    }
    let isDone = duo.settle(within: .seconds(3600)) {
      hasAll(duo.laptop, sent[0]) && hasAll(duo.phone, sent[1])
    }
    duo.clock.advance(by: .seconds(2))
    if !isDone { outcome.violations.append("Not everything arrived in an hour.") }
    for (side, other) in [(duo.laptop, 0), (duo.phone, 1)] {
      for lane in Lane.allCases where (side.taken[lane] ?? []) != (sent[other][lane] ?? []) {
        let (got, want) = (side.taken[lane] ?? [], sent[other][lane] ?? [])
        outcome.violations.append(
          "\(side.name) took \(got.count) of \(want.count) on \(lane), or in another order.")
      }
      outcome.violations += side.faults
    }
    outcome.valueCount = duo.medium.carriedCount
  }
}
