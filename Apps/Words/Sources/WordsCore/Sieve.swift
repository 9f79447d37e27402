/// Which words a round takes, without naming them: 48 bits of the FNV-1a hash of each.
///
/// A page tells by it at once, without a connection, whether the list has a word. It shows nobody the
/// words; whoever tries every order of the letters finds them, as by a dictionary.
public struct Sieve: Equatable, Sendable {
  /// The most words.
  public static let countMax = 1000
  private static let width = 6

  /// Six bytes a word, in order.
  public let bytes: [UInt8]

  /// The sieve that lets these words through.
  public init(_ words: [Word]) {
    bytes = words.map(Self.hash).sorted().flatMap { hash in
      (0..<Self.width).map { UInt8(truncatingIfNeeded: hash >> (8 * (Self.width - 1 - $0))) }
    }
  }

  /// Reads `bytes`.
  ///
  /// - Throws: `malformed`.
  public init(bytes: [UInt8]) throws(WordError) {
    guard bytes.count % Self.width == 0, bytes.count <= Self.countMax * Self.width else {
      throw .malformed
    }
    self.bytes = bytes
  }

  /// How many words it lets through.
  public var count: Int { bytes.count / Self.width }

  /// Whether the round takes a word.
  public func passes(_ word: Word) -> Bool {
    let wanted = Self.hash(word)
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      let hash = bytes[middle * Self.width..<(middle + 1) * Self.width]
        .reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      if hash == wanted { return true }
      if hash < wanted { low = middle + 1 } else { high = middle }
    }
    return false
  }

  private static func hash(_ word: Word) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for letter in word.letters {
      for byte in [UInt8(letter >> 8), UInt8(letter & 0xFF)] {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
      }
    }
    return (hash ^ hash >> 48) & 0xFFFF_FFFF_FFFF
  }
}
