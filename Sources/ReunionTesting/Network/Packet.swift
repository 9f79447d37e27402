/// A packet of the simulated network: a part of a stream of bytes, and what has come of the other.
struct Packet {
  /// What a packet is beside a part of the stream.
  struct Marks: OptionSet {
    let rawValue: UInt8
    /// The stream ends where this packet's bytes end.
    static let end = Marks(rawValue: 1)
    /// The other side knows of no such stream.
    static let reset = Marks(rawValue: 2)
    /// The sender wants to hear how much fits.
    static let asks = Marks(rawValue: 4)
  }

  /// Checksum, marks, position, what has come, and what fits.
  static let headBytes = 4 + 1 + 4 + 4 + 4

  var marks: Marks = []
  /// Where in the stream its bytes begin.
  var position: UInt32 = 0
  /// Up to where everything of the other stream has come.
  var received: UInt32 = 0
  /// How many bytes more of the other stream fit.
  var window: UInt32 = 0
  var bytes: ArraySlice<UInt8> = []

  init() {}

  /// Reads a packet; nil where it was damaged on its way.
  init?(_ data: [UInt8]) {
    guard data.count >= Self.headBytes, Self.word(data, 0) == Self.checksum(data[4...]) else {
      return nil
    }
    marks = Marks(rawValue: data[4])
    position = Self.word(data, 5)
    received = Self.word(data, 9)
    window = Self.word(data, 13)
    bytes = data[Self.headBytes...]
  }

  var encoded: [UInt8] {
    var data: [UInt8] = [0, 0, 0, 0, marks.rawValue]
    data.reserveCapacity(Self.headBytes + bytes.count)
    for word in [position, received, window] { Self.append(word, to: &data) }
    data += bytes
    let sum = Self.checksum(data[4...])
    for index in 0..<4 { data[index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
    return data
  }

  private static func append(_ word: UInt32, to data: inout [UInt8]) {
    for shift in stride(from: UInt32(0), to: 32, by: 8) {
      data.append(UInt8(truncatingIfNeeded: word >> shift))
    }
  }

  private static func word(_ data: [UInt8], _ at: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(data[at + $1]) << UInt32(8 * $1) }
  }

  /// 32-bit FNV-1a: one changed byte always shows.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reduce(0x811c_9dc5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }
}
