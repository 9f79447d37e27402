/// SHA-256 over a stream of bytes. Source: FIPS 180-4.
///
/// ```swift
/// func name(of pieces: [[UInt8]]) -> String {
///   var hash = SHA256()
///   for piece in pieces { hash.update(piece) }
///   return Hexadecimal.text(hash.finish())
/// }
/// ```
///
/// The same code names blobs in the browser, where plain-HTTP pages have no `crypto.subtle`. It is
/// a value: a copy goes on by itself, so what many hashes begin with is hashed once.
///
/// It is for names and checks. It is too fast to keep passwords by.
public struct SHA256: Sendable {
  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
    0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  private var block: [UInt8] = []
  private var byteCount: UInt64 = 0
  private var schedule = [UInt32](repeating: 0, count: 64)

  /// Starts with no bytes.
  public init() { block.reserveCapacity(64) }

  /// The thirty-two bytes of the hash of these bytes.
  public static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finish()
  }

  /// Takes more bytes, any number of them: how they are cut into pieces changes nothing.
  public mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { update($0) }
  }

  /// Takes more bytes where they are, for a caller that has them in a buffer; it is not kept.
  public mutating func update(_ bytes: UnsafeBufferPointer<UInt8>) {
    byteCount += UInt64(bytes.count)
    var start = 0
    if !block.isEmpty {
      start = min(64 - block.count, bytes.count)
      block.append(contentsOf: bytes[0..<start])
      guard block.count == 64 else { return }
      let full = block
      full.withUnsafeBufferPointer { compress($0, at: 0) }
      block.removeAll(keepingCapacity: true)
    }
    while bytes.count - start >= 64 {
      compress(bytes, at: start)
      start += 64
    }
    block.append(contentsOf: bytes[start...])
  }

  /// The thirty-two bytes of the hash. Call it once, at the end: it takes the padding in, and a
  /// second call gives the hash of something else. For a hash so far, finish a copy.
  public mutating func finish() -> [UInt8] {
    let bitCount = byteCount * 8
    var padding: [UInt8] = [0x80]
    padding.append(contentsOf: repeatElement(0, count: (119 - block.count) % 64))
    var writer = ByteWriter()
    writer.integer(bitCount)
    update(padding + writer.bytes)
    var result = ByteWriter()
    for word in state { result.integer(word) }
    return result.bytes
  }

  private mutating func compress(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) {
    schedule.withUnsafeMutableBufferPointer { w in
      for i in 0..<16 {
        let at = start + i * 4
        let high = UInt32(bytes[at]) << 24 | UInt32(bytes[at + 1]) << 16
        w[i] = high | UInt32(bytes[at + 2]) << 8 | UInt32(bytes[at + 3])
      }
      for i in 16..<64 {
        let a = w[i - 15]
        let b = w[i - 2]
        let s0 = Self.rotate(a, 7) ^ Self.rotate(a, 18) ^ a >> 3
        let s1 = Self.rotate(b, 17) ^ Self.rotate(b, 19) ^ b >> 10
        w[i] = w[i - 16] &+ s0 &+ w[i - 7] &+ s1
      }
    }
    var a = state[0]
    var b = state[1]
    var c = state[2]
    var d = state[3]
    var e = state[4]
    var f = state[5]
    var g = state[6]
    var h = state[7]
    schedule.withUnsafeBufferPointer { w in
      Self.constants.withUnsafeBufferPointer { k in
        for i in 0..<64 {
          let s1 = Self.rotate(e, 6) ^ Self.rotate(e, 11) ^ Self.rotate(e, 25)
          let choice = e & f ^ ~e & g
          let t1 = h &+ s1 &+ choice &+ k[i] &+ w[i]
          let s0 = Self.rotate(a, 2) ^ Self.rotate(a, 13) ^ Self.rotate(a, 22)
          let majority = a & b ^ a & c ^ b & c
          h = g
          g = f
          f = e
          e = d &+ t1
          d = c
          c = b
          b = a
          a = t1 &+ s0 &+ majority
        }
      }
    }
    state[0] &+= a
    state[1] &+= b
    state[2] &+= c
    state[3] &+= d
    state[4] &+= e
    state[5] &+= f
    state[6] &+= g
    state[7] &+= h
  }

  @inline(__always)
  private static func rotate(_ word: UInt32, _ bits: UInt32) -> UInt32 {
    word &>> bits | word &<< (32 - bits)
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]
}
