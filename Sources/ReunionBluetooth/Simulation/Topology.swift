import ReunionFlow

/// The topology of a simulated medium: radios, which of them hear each other, and connections. A
/// pure value.
struct Topology {
  struct Station {
    var name: String
    var state: RadioState = .on
    var deliver: (@Sendable (RadioEvent) -> Void)?
    var advertisement: Advertisement?
    var services: [RadioService] = []
    var wanted: [BluetoothID]?
    /// Devices that the system remembers, and since when it has not been connected with each.
    var known: [Int: Moment] = [:]
    /// Those that it is trying to connect with, each with the number of the try.
    var attempts: [Int: Int] = [:]
  }

  enum Transmission {
    case write(BluetoothID, [UInt8], awaitsAnswer: Bool)
    case answer(BluetoothID)
    case notification(BluetoothID, [UInt8])
    case event(RadioEvent)

    var byteCount: Int {
      switch self {
      case .write(_, let bytes, _), .notification(_, let bytes): bytes.count
      case .answer, .event: 0
      }
    }
  }

  struct Connection {
    let central: Int
    let peripheral: Int
    var subscribed: Set<BluetoothID> = []
    /// What waits to be carried: 0 from the central, 1 from the peripheral.
    var queues: [[Transmission]] = [[], []]
    /// Packets of the present meeting that are left over for a value that is longer.
    var budgets = [0, 0]
    var isHeldBack = [false, false]
    var isTicking = false
    /// Set while the two do not hear each other: the connection is about to be lost.
    var isSilent = false
  }

  var stations: [Station] = []
  var connections: [Int: Connection] = [:]
  var lastNumber = 0
  /// Pairs that do not hear each other, the lower number first.
  var apart: Set<[Int]> = []
  var random: MediumRandom
  /// How many values were carried, and at which the connection is cut.
  var carriedCount = 0
  var cutAt: Int?
  /// How many bytes of values the radios were given, by station.
  var givenBytes: [Int: Int] = [:]

  func hears(_ one: Int, _ other: Int) -> Bool {
    !apart.contains([min(one, other), max(one, other)])
      && stations[one].state == .on && stations[other].state == .on
  }

  func connection(_ one: Int, _ other: Int) -> Int? {
    connections.first {
      ($0.value.central == one && $0.value.peripheral == other)
        || ($0.value.central == other && $0.value.peripheral == one)
    }?.key
  }

  /// Whether a station can be connected to: it is heard, and advertises.
  func isReachable(_ other: Int, from one: Int) -> Bool {
    hears(one, other) && stations[other].advertisement != nil
  }

  func remembers(_ one: Int, _ other: Int, at now: Moment, limit: Duration?) -> Bool {
    guard let since = stations[one].known[other] else { return false }
    guard let limit else { return true }
    return connection(one, other) != nil || since.duration(to: now) <= limit
  }
}

/// Randomness of the medium that is the same everywhere for one seed. Source: SplitMix64.
struct MediumRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
  }

  mutating func happens(_ chance: Double) -> Bool {
    chance > 0 && Double.random(in: 0..<1, using: &self) < chance
  }
}
