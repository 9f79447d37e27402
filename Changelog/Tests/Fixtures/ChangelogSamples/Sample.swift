/// A changelog that was made from a seed, the same on every machine.
package struct Sample: Sendable {
  /// The file's name, which is its path in the history.
  package let name: String
  package let bytes: [UInt8]

  package init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }
}

/// Randomness that is the same everywhere for one seed. Source: SplitMix64, Steele et al., 2014.
package struct SampleRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
  }

  /// True in one case out of `cases`.
  package mutating func one(in cases: Int) -> Bool { below(cases) == 0 }

  package mutating func below(_ end: Int) -> Int { Int(next() % UInt64(end)) }

  /// One of a list; the lists here are never empty.
  package mutating func pick<Element>(_ list: [Element]) -> Element { list[below(list.count)] }
}
