import ReunionFlow

/// Randomness that is the same everywhere for one seed. Source: SplitMix64, Steele et al., 2014.
///
/// ```swift
/// var random = SeededRandom(seed: 7)
/// let titles = ["milk", "bread", "stamps"]
/// print(titles.randomElement(using: &random) ?? "", random.happens(0.5))
/// ```
///
/// It is a value: a copy draws the same numbers again.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts from a seed.
  public init(seed: UInt64) { state = seed }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
  }

  /// True in `chance` of all cases, from 0 to 1.
  public mutating func happens(_ chance: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < chance
  }
}

/// One seeded source that many parts of a world share.
public final class SharedRandom: Sendable {
  private let random: Lock<SeededRandom>

  /// Starts from a seed.
  public init(seed: UInt64) { random = Lock(SeededRandom(seed: seed)) }

  /// Draws from the source. Others that draw at the same time wait, so the closure does nothing
  /// else.
  public func draw<Result>(_ body: (inout SeededRandom) -> Result) -> Result {
    random.withLock { body(&$0) }
  }
}
