import ReunionTesting

/// Makes inputs out of valid ones: each a function of its seed alone, so that a seed repeats it.
struct Mutation {
  let samples: [[UInt8]]
  let words: [[UInt8]]
  let bytesMax: Int

  init(_ target: FuzzTarget) throws {
    samples = try target.samples()
    words = target.words.map { [UInt8]($0) }
    bytesMax = target.bytesMax
  }

  /// Lengths and counts at which arithmetic and memory end.
  private static let absurd: [UInt64] = [
    0, 1, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000,
    0xffff_ffff, 0x1_0000_0000, 0x7fff_ffff_ffff_ffff, 0x8000_0000_0000_0000,
    0xffff_ffff_ffff_ffff,
  ]

  func input(seed: UInt64) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    guard var bytes = samples.randomElement(using: &random) else { return [] }
    // One in 64 is as it was, so that all that comes after the reading is reached as well.
    guard !random.happens(1 / 64) else { return bytes }
    var count = 1
    while count < 16, random.happens(0.6) { count += 1 }
    for _ in 0..<count { change(&bytes, &random) }
    return Array(bytes.prefix(bytesMax))
  }

  private func change(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
    let at = Int.random(in: 0...bytes.count, using: &random)
    let length = min(bytes.count - at, 1 << Int.random(in: 0...8, using: &random))
    let part = at..<at + length
    switch Int.random(in: 0..<13, using: &random) {
    case 0, 1:
      guard at < bytes.count else { return bytes.append(.random(in: 0...255, using: &random)) }
      bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2:
      guard at < bytes.count else { return }
      bytes[at] = .random(in: 0...255, using: &random)
    case 3: bytes.removeSubrange(at...)
    case 4: bytes.removeSubrange(part)
    case 5:
      let noise = (0..<max(1, length)).map { _ in UInt8.random(in: 0...255, using: &random) }
      bytes.insert(contentsOf: noise, at: at)
    case 6:
      // The same again, once or very often.
      let times = random.happens(0.1) ? 1 << Int.random(in: 1...12, using: &random) : 1
      let piece = Array(bytes[part])
      let room = (bytesMax - bytes.count) / max(1, piece.count)
      for _ in 0..<max(0, min(times, room)) { bytes.insert(contentsOf: piece, at: at) }
    case 7:
      // The beginning of one and the end of another.
      guard let other = samples.randomElement(using: &random) else { return }
      let from = Int.random(in: 0...other.count, using: &random)
      bytes.replaceSubrange(at..., with: other[from...])
    case 8:
      guard let word = words.randomElement(using: &random) else { return }
      bytes.insert(contentsOf: word, at: at)
    case 9:
      guard let word = words.randomElement(using: &random) else { return }
      bytes.replaceSubrange(at..<min(bytes.count, at + word.count), with: word)
    case 10: setNumber(&bytes, at: at, &random)
    case 11: setVarint(&bytes, at: at, &random)
    default: setDigits(&bytes, from: at, &random)
    }
  }

  /// A number of one to eight bytes, either end first.
  private func setNumber(_ bytes: inout [UInt8], at: Int, _ random: inout SeededRandom) {
    let number = Self.absurd.randomElement(using: &random) ?? 0
    let size = [1, 2, 4, 8].randomElement(using: &random) ?? 1
    var digits = (0..<size).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    if Bool.random(using: &random) { digits.reverse() }
    bytes.replaceSubrange(at..<min(bytes.count, at + size), with: digits)
  }

  private func setVarint(_ bytes: inout [UInt8], at: Int, _ random: inout SeededRandom) {
    var number = Self.absurd.randomElement(using: &random) ?? 0
    var digits: [UInt8] = []
    while number > 127 {
      digits.append(UInt8(truncatingIfNeeded: number) | 0x80)
      number >>= 7
    }
    digits.append(UInt8(number))
    let replaced = Bool.random(using: &random) ? 1 : digits.count
    bytes.replaceSubrange(at..<min(bytes.count, at + replaced), with: digits)
  }

  /// The next decimal number becomes another.
  private func setDigits(_ bytes: inout [UInt8], from at: Int, _ random: inout SeededRandom) {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let start = bytes[at...].firstIndex(where: digits.contains) else { return }
    let end = bytes[start...].firstIndex { !digits.contains($0) } ?? bytes.count
    let sign = random.happens(0.2) ? "-" : ""
    let number = Self.absurd.randomElement(using: &random) ?? 0
    bytes.replaceSubrange(start..<end, with: [UInt8]("\(sign)\(number)"))
  }
}
