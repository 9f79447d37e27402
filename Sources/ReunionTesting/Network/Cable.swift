import ReunionFlow

/// One direction between two replicas: it carries packets, late, twice, in another order, or never.
final class Cable: Sendable {
  fileprivate struct State {
    var quality: NetworkQuality
    var random: SeededRandom
    var isCut = false
    var freeAt = Moment(nanoseconds: 0)
    var lastArrival = Moment(nanoseconds: 0)
    var counts = Counts()
  }

  /// What became of the packets.
  struct Counts: Hashable, Sendable {
    var sent = 0
    var lost = 0
    var damaged = 0
  }

  private let clock: TestClock
  private let state: Lock<State>

  init(clock: TestClock, seed: UInt64, quality: NetworkQuality) {
    self.clock = clock
    state = Lock(State(quality: quality, random: SeededRandom(seed: seed)))
  }

  var quality: NetworkQuality {
    get { state.withLock { $0.quality } }
    set { state.withLock { $0.quality = newValue } }
  }

  /// Whether it swallows everything: a partition of this direction alone.
  var isCut: Bool {
    get { state.withLock { $0.isCut } }
    set { state.withLock { $0.isCut = newValue } }
  }

  var counts: Counts { state.withLock { $0.counts } }

  /// Sends a packet; the closure gets what comes of it, inside the clock.
  func carry(_ data: [UInt8], to arrive: @escaping @Sendable ([UInt8]) -> Void) {
    let copies = state.withLock { $0.copies(of: data, now: clock.now) }
    for (moment, data) in copies {
      clock.schedule(at: moment) { arrive(data) }
    }
  }
}

extension Cable.State {
  fileprivate mutating func copies(of data: [UInt8], now: Moment) -> [(Moment, [UInt8])] {
    counts.sent += 1
    guard !isCut, !happens(quality.lossChance) else {
      counts.lost += 1
      return []
    }
    var copies = [arrival(of: data, now: now)]
    if happens(quality.duplicateChance) { copies.append(arrival(of: data, now: now)) }
    return copies
  }

  private mutating func happens(_ chance: Double) -> Bool {
    chance > 0 && random.happens(chance)
  }

  private mutating func arrival(of data: [UInt8], now: Moment) -> (Moment, [UInt8]) {
    var start = max(now, freeAt)
    if let rate = quality.bytesPerSecond {
      let nanoseconds = Int64(data.count) * 1_000_000_000 / Int64(max(rate, 1))
      start = start.advanced(by: .nanoseconds(nanoseconds))
      freeAt = start
    }
    let delay = Int.random(in: quality.delayMilliseconds, using: &random)
    var moment = start.advanced(by: .milliseconds(delay))
    if happens(quality.reorderChance) {
      moment = moment.advanced(by: .milliseconds(delay))
    } else {
      moment = max(moment, lastArrival)
      lastArrival = moment
    }
    var data = data
    if happens(quality.corruptionChance), !data.isEmpty {
      counts.damaged += 1
      data[Int.random(in: 0..<data.count, using: &random)] ^= UInt8.random(
        in: 1...255, using: &random)
    }
    return (moment, data)
  }
}
