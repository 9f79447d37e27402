/// The words of a list that may be had, side by side in memory.
public struct Lexicon: Sendable {
  private var letters: [UInt16] = []
  private var starts: [UInt32] = [0]
  /// Which letters each has, 32 kinds of them: what a rack lacks is seen without reading the word.
  private var masks: [UInt32] = []
  /// How many words have each letter.
  private var counts: [UInt16: Int] = [:]

  /// Reads a list with a word a line, in UTF-8. Words that are too short or too long, and what is no word,
  /// are left out; so are names, unless the language writes every noun with a capital.
  public init(_ bytes: some Collection<UInt8>) {
    var words: [(letters: [UInt16], isCapital: Bool)] = []
    for line in bytes.split(separator: 10) where line.count <= 4 * Word.lengths.upperBound {
      let line = Array(line)
      guard let letters = Word.letters(of: line), Word.lengths.contains(letters.count) else {
        continue
      }
      let capitals = Self.capitals(of: line)
      guard capitals.isEmpty || capitals == [0] else { continue }
      words.append((letters, !capitals.isEmpty))
    }
    // Debian's lists: names are 16 of a hundred words in English, nouns and names 35 in German.
    let capitalCount = words.count { $0.isCapital }
    let hasCapitalNouns = capitalCount * 4 > words.count
    if !hasCapitalNouns { words.removeAll { $0.isCapital } }
    let sorted = words.map(\.letters).sorted { $0.lexicographicallyPrecedes($1) }
    for (index, word) in sorted.enumerated() where index == 0 || word != sorted[index - 1] {
      letters += word
      starts.append(UInt32(letters.count))
      masks.append(Self.mask(word))
      for letter in Set(word) { counts[letter, default: 0] += 1 }
    }
  }

  /// At which places capitals stand: nowhere, at the beginning as in a noun, or elsewhere as in "USA".
  private static func capitals(of utf8: [UInt8]) -> [Int] {
    var (capitals, index) = ([Int](), 0)
    var rest = utf8[...]
    while let scalar = Word.scalar(&rest) {
      // The mark in front of a list is no letter.
      if scalar == 0xFEFF { continue }
      if let small = Word.small(scalar), small != scalar { capitals.append(index) }
      index += 1
    }
    return capitals
  }

  /// How many words it has.
  public var count: Int { masks.count }

  /// The word at an index.
  public subscript(_ index: Int) -> Word {
    Word(letters: Array(letters[Int(starts[index])..<Int(starts[index + 1])]))
  }

  private static func mask(_ word: [UInt16]) -> UInt32 {
    word.reduce(0) { $0 | 1 << UInt32($1 % 32) }
  }

  /// All words that can be laid with letters, the longest first.
  public func words(in rack: Rack) -> [Word] {
    let mask = Self.mask(rack.letters)
    var found: [Word] = []
    for index in masks.indices where masks[index] & ~mask == 0 {
      let word = self[index]
      if rack.holds(word) { found.append(word) }
    }
    return found.sorted()
  }

  /// Whether a word's letters are usual ones, each in one of a hundred words at least.
  func isUsual(_ word: Word) -> Bool {
    word.letters.allSatisfy { (counts[$0] ?? 0) * 100 >= count }
  }
}
