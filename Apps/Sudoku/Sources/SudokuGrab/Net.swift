/// The net that reads one cell: two layers of 3 x 3 convolution with pooling, and two dense ones.
struct Net: Sendable {
  static let side = 28

  private let first: [SIMD16<Float>]  // 9 taps of 12 channels, and the bias
  private let second: [SIMD16<Float>]  // 108 of 16, and the bias
  private let third: [SIMD16<Float>]  // 400 of 32 in pairs, and the biases
  private let fourth: [SIMD16<Float>]  // 32 of 10, and the bias

  static let trained = [Net(weights)]

  private init(_ text: StaticString) {
    let bytes = Self.decoded(text)
    var at = 0
    func vector(_ count: Int) -> SIMD16<Float> {
      var vector = SIMD16<Float>()
      for i in 0..<count {
        let bits = UInt16(bytes[2 * (at + i)]) | UInt16(bytes[2 * (at + i) + 1]) << 8
        vector[i] = Self.float(bits)
      }
      at += count
      return vector
    }
    first = (0..<10).map { _ in vector(12) }
    second = (0..<109).map { _ in vector(16) }
    third = (0..<802).map { _ in vector(16) }
    fourth = (0..<33).map { _ in vector(10) }
  }

  /// IEEE 754's half precision; weights are never infinite.
  private static func float(_ bits: UInt16) -> Float {
    let sign: Float = bits >> 15 == 0 ? 1 : -1
    let (exponent, fraction) = (Int(bits >> 10 & 31), Float(bits & 1023))
    if exponent == 0 { return sign * fraction / 16_777_216 }
    return sign * Float(sign: .plus, exponent: exponent - 15, significand: 1 + fraction / 1024)
  }

  private static func decoded(_ text: StaticString) -> [UInt8] {
    var (bytes, bits, count) = ([UInt8](), 0 as UInt32, 0)
    text.withUTF8Buffer { buffer in
      for byte in buffer {
        let value: UInt8
        switch byte {
        case 65...90: value = byte - 65
        case 97...122: value = byte - 71
        case 48...57: value = byte + 4
        case 43: value = 62
        case 47: value = 63
        default: continue
        }
        (bits, count) = (bits << 6 | UInt32(value), count + 6)
        if count >= 8 {
          count -= 8
          bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
      }
    }
    return bytes
  }

  /// For each of empty and 1 to 9 the score of a cell of 28 x 28: higher is likelier.
  func scores(_ cell: [Float]) -> [Float] {
    precondition(cell.count == Self.side * Self.side)
    let zero = SIMD16<Float>()
    // 26 x 26, pooled to 13 x 13.
    let middle = first.withUnsafeBufferPointer { weights in
      cell.withUnsafeBufferPointer { cell in
        Self.pooled(13) { x, y in
          var sum = weights[9]
          let from = y &* 28 &+ x
          for row in 0..<3 {
            for column in 0..<3 {
              sum += weights[row &* 3 &+ column] * cell[from &+ row &* 28 &+ column]
            }
          }
          return sum
        }
      }
    }
    // 11 x 11, of which 10 x 10 are pooled to 5 x 5.
    let last = second.withUnsafeBufferPointer { weights in
      middle.withUnsafeBufferPointer { middle in
        Self.pooled(5) { x, y in
          var sum = weights[108]
          for tap in 0..<9 {
            let from = ((y &+ tap / 3) &* 13 &+ x &+ tap % 3) &* 16
            for channel in 0..<12 {
              sum += weights[tap &* 12 &+ channel] * middle[from &+ channel]
            }
          }
          return sum
        }
      }
    }
    var (low, high) = (third[800], third[801])
    for i in 0..<400 {
      low += third[2 * i] * last[i]
      high += third[2 * i + 1] * last[i]
    }
    (low, high) = (pointwiseMax(low, zero), pointwiseMax(high, zero))
    var out = fourth[32]
    for i in 0..<16 { out += fourth[i] * low[i] + fourth[16 + i] * high[i] }
    return (0..<10).map { out[$0] }
  }

  /// Of each square of 2 x 2 values the greatest, or 0: side x side times 16 channels.
  @inline(__always)
  private static func pooled(
    _ side: Int, _ value: (_ x: Int, _ y: Int) -> SIMD16<Float>
  ) -> [Float] {
    var out = [Float](repeating: 0, count: side * side * 16)
    var rows = [SIMD16<Float>](repeating: SIMD16(), count: 4 * side)
    for row in 0..<side {
      for x in 0..<(2 * side) {
        rows[x] = value(x, 2 * row)
        rows[2 * side + x] = value(x, 2 * row + 1)
      }
      // By single numbers: of these the compiler takes several at once, and not of `pointwiseMax`.
      rows.withUnsafeBytes { bytes in
        let upper = bytes.assumingMemoryBound(to: Float.self)
        let lower = UnsafeBufferPointer(rebasing: upper[(32 * side)...])
        for x in 0..<side {
          for channel in 0..<16 {
            let at = 32 &* x &+ channel
            let most = max(max(upper[at], upper[at &+ 16]), max(lower[at], lower[at &+ 16]))
            out[(row * side + x) * 16 + channel] = max(0, most)
          }
        }
      }
    }
    return out
  }
}
