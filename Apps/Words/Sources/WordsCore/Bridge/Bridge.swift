/// What a page asks of this module, as bytes in and bytes out: the same code in the program, its tests
/// and the browser.
enum Bridge {
  enum Function: UInt8 {
    /// Letters, the words that one has with blanks between, and a text, each ended by a zero, and a sieve:
    /// the word in UTF-8.
    case read = 1
    /// A word's length, how many found it and how many played: what it counts, two bytes.
    case value = 2
  }

  static func call(_ function: Function, _ input: [UInt8]) throws(WordError) -> [UInt8] {
    switch function {
    case .read: try read(input)
    case .value: try value(input)
    }
  }

  private static func read(_ input: [UInt8]) throws(WordError) -> [UInt8] {
    var rest = input[...]
    let rack = try Rack(utf8: part(of: &rest))
    let had = try part(of: &rest)
    let text = try part(of: &rest)
    let sieve = try Sieve(bytes: Array(rest))
    let word = try Round.read(text, with: rack, sieve) { word in
      let wanted = Word.utf8(of: word.letters)
      return had.split(separator: 32).contains { Array($0) == wanted }
    }
    return Word.utf8(of: word.letters)
  }

  private static func part(of rest: inout ArraySlice<UInt8>) throws(WordError) -> [UInt8] {
    guard let end = rest.firstIndex(of: 0) else { throw .malformed }
    defer { rest = rest[(end + 1)...] }
    return Array(rest[..<end])
  }

  private static func value(_ input: [UInt8]) throws(WordError) -> [UInt8] {
    guard input.count == 3 else { throw .malformed }
    let value = Points.value(
      length: Int(input[0]), finders: Int(input[1]), players: Int(input[2]))
    return [UInt8(value >> 8), UInt8(value & 255)]
  }
}
