import struct ReunionCore.SeededBug
import struct ReunionCore.SeededBugs
import ReunionFlow
import Testing

@testable import ReunionBluetooth

/// Two devices in a simulated medium: a phone that connects, and a laptop that is found. Each has a
/// program that keeps what it takes, as an app with a database does: it outlives a kill.
final class Duo: @unchecked Sendable {
  /// One device, with what outlives a kill of its process.
  final class Side: @unchecked Sendable {
    let name: String
    let radio: SimulatedRadio
    let store: any PeerStore
    var bluetooth: Bluetooth?
    var subscriptions: [SignalSubscription] = []
    var link: KeptLink?
    var peer: VerifiedPeer?
    var unverified: UnverifiedPeer?
    /// What the program has taken, by lane.
    var taken: [Lane: [[UInt8]]] = [:]
    /// The numbers in which the program saw more or less than one message: in a correct run none.
    var faults: [String] = []
    /// How long the program holds a message before it takes it; nil for at once.
    var takeDelay: Duration?
    /// How many of its messages the peer is said to have.
    var confirmedCount = 0
    /// How often its process was started.
    var launchCount = 0
    var lastNumber: [Lane: UInt64] = [:]

    init(_ name: String, _ radio: SimulatedRadio, _ store: any PeerStore) {
      self.name = name
      self.radio = radio
      self.store = store
    }
  }

  let clock = TestClock()
  let medium: SimulatedMedium
  let phone: Side
  let laptop: Side
  let invitation: Invitation
  let seed: UInt64
  let bugs: SeededBugs
  private var launchCount: UInt64 = 0
  var extra: [UInt8] = []

  init(
    seed: UInt64 = 1, quality: RadioQuality = RadioQuality(), bugs: SeededBugs = [],
    stores: [any PeerStore] = [MemoryPeerStore(), MemoryPeerStore()]
  ) {
    self.seed = seed
    self.bugs = bugs
    medium = SimulatedMedium(clock: clock, seed: seed, quality: quality)
    phone = Side("phone", medium.radio("phone"), stores[0])
    laptop = Side("laptop", medium.radio("laptop"), stores[1])
    var random = MediumRandom(seed: seed ^ 0xABCD)
    invitation = Invitation(using: &random)
  }

  /// Starts a process of a side.
  func launch(_ side: Side) throws {
    launchCount += 1
    side.launchCount += 1
    side.subscriptions = []
    let bluetooth = try Bluetooth(
      radio: side.radio, store: side.store, clock: clock,
      random: MediumRandom(seed: seed &* 1000 &+ launchCount), extra: extra, seededBugs: bugs)
    side.bluetooth = bluetooth
    side.subscriptions.append(
      bluetooth.verified.observe { [self, unowned side] peer in
        side.peer = peer
        listen(side, peer)
      })
    side.subscriptions.append(
      bluetooth.meetings.observe { [unowned side] in side.unverified = $0 })
    if side === laptop {
      bluetooth.open(invitation)
      bluetooth.advertise()
    }
    if let peer = try side.store.peers().first.flatMap({ bluetooth.peer($0.id) }) {
      side.peer = peer
      listen(side, peer)
    }
  }

  private func listen(_ side: Side, _ peer: VerifiedPeer) {
    peer.receive { [self, unowned side] message in
      guard let delay = side.takeDelay else { return take(message, side) }
      // A start of the other side is none of its business.
      let launch = side.launchCount
      _ = clock.schedule(at: clock.now.advanced(by: delay)) { [self, unowned side] in
        if launch == side.launchCount { take(message, side) }
      }
    }
  }

  /// The program keeps the message and its number in one step of its database.
  private func take(_ message: PeerMessage, _ side: Side) {
    let last = side.lastNumber[message.lane] ?? 0
    if message.number == last + 1 {
      side.taken[message.lane, default: []].append(message.bytes)
      side.lastNumber[message.lane] = message.number
    } else if message.number > last {
      side.faults.append("\(side.name): \(message.number) after \(last)")
    }
    message.taken()
  }

  /// The process of a side is killed.
  func kill(_ side: Side) {
    side.subscriptions = []
    side.peer = nil
    side.link = nil
    side.bluetooth = nil
    side.radio.killProcess()
  }

  /// Both start, and the phone sees the laptop and meets it.
  func meet() throws {
    try launch(laptop)
    try launch(phone)
    find()
    phone.link = phone.bluetooth?.meet(laptop.radio.device, by: invitation)
    _ = settle(within: .seconds(20)) { self.isConnected }
  }

  /// The phone scans, so that its system knows the laptop.
  func find() {
    let scan = phone.bluetooth?.scan(for: [ReunionService.id], limit: .seconds(2)) { _ in }
    clock.advance(by: .seconds(2))
    scan?.cancel()
  }

  var isConnected: Bool {
    phone.peer?.isConnected.value == true && laptop.peer?.isConnected.value == true
  }

  /// Moves time on until something holds; false if it does not in time.
  func settle(within limit: Duration, _ isDone: () -> Bool) -> Bool {
    let end = clock.now.advanced(by: limit)
    while !isDone() {
      guard let next = clock.nextMoment, next <= end else {
        clock.advance(to: end)
        return isDone()
      }
      clock.advance(to: next)
    }
    return true
  }

  /// Sends a message; `refused` is called where the program is told that the disk could not keep it.
  func send(
    _ bytes: [UInt8], on lane: Lane = .records, from side: Side,
    refused: @escaping @Sendable () -> Void = {}
  ) {
    side.peer?.send(bytes, on: lane) { [unowned side] result in
      switch result {
      case .success: side.confirmedCount += 1
      case .failure(let error): if error.code == .disk { refused() }
      }
    }
  }
}

/// Bytes that differ from message to message.
func someBytes(_ count: Int, _ seed: UInt64) -> [UInt8] {
  var random = MediumRandom(seed: seed)
  return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() >> 40) }
}
