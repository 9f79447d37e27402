/// Reads the words of a line, each with the column at which it stands.
struct LineReader {
  struct Word {
    let text: Substring
    let column: Int
  }

  private(set) var words: [Word] = []
  private var next = 0
  private let end: Int

  /// Splits a line at spaces; what stands in quotes is one word.
  init(_ line: Substring) {
    var column = 1
    var start: Substring.Index?
    var startColumn = 1
    var (isQuoted, isEscaped) = (false, false)
    for index in line.indices {
      let character = line[index]
      if start == nil, character != " " { (start, startColumn) = (index, column) }
      if isQuoted {
        if isEscaped {
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else if character == "\"" {
          isQuoted = false
        }
      } else if character == "\"" {
        isQuoted = true
      } else if character == " ", let begin = start {
        words.append(Word(text: line[begin..<index], column: startColumn))
        start = nil
      }
      column += 1
    }
    if let start { words.append(Word(text: line[start...], column: startColumn)) }
    end = column
  }

  var peek: Substring? { next < words.count ? words[next].text : nil }

  /// The column of the word that comes next, or of the line's end.
  var column: Int { next < words.count ? words[next].column : end }

  mutating func word(_ what: String) throws(LineFault) -> Word {
    guard next < words.count else { throw LineFault(end, "Here \(what) is missing.") }
    defer { next += 1 }
    return words[next]
  }

  /// Takes the next word where it is this one.
  mutating func take(_ word: String) -> Bool {
    guard peek == word[...] else { return false }
    next += 1
    return true
  }

  mutating func number<Number: FixedWidthInteger>(
    _ what: String, in range: ClosedRange<Number>
  ) throws(LineFault) -> Number {
    let word = try word(what)
    return try Self.number(word.text, word.column, what, in: range)
  }

  /// The number in `@3`.
  mutating func place(_ what: String, in range: ClosedRange<UInt32>) throws(LineFault) -> UInt32 {
    let word = try word("the number of the \(what), such as @3,")
    guard word.text.first == "@" else {
      throw LineFault(
        word.column, "“\(word.text)” stands where the number of the \(what) belongs, such as @3.")
    }
    return try Self.number(word.text.dropFirst(), word.column, "number of the \(what)", in: range)
  }

  private static func number<Number: FixedWidthInteger>(
    _ text: Substring, _ column: Int, _ what: String, in range: ClosedRange<Number>
  ) throws(LineFault) -> Number {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }),
      let number = Number(text),
      range.contains(number)
    else {
      throw LineFault(
        column,
        "“\(text)” is no \(what): it is a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }

  /// A name as Swift and SQL take it.
  mutating func name(_ what: String, isType: Bool = false) throws(LineFault) -> String {
    let word = try word("the name of the \(what)")
    return try Self.name(word.text, at: word.column, what, isType: isType)
  }

  static func name(
    _ text: Substring, at column: Int, _ what: String, isType: Bool = false
  ) throws(LineFault) -> String {
    let utf8 = text.utf8
    let isWord = utf8.allSatisfy {
      (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
        || isType && ($0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_"))
    }
    let first = utf8.first ?? 0
    guard isWord, (isType ? 65...90 : 97...122).contains(first), utf8.count <= 64 else {
      throw LineFault(
        column,
        "“\(text)” is no name of a \(what): take letters and digits, "
          + (isType ? "a capital" : "a small") + " one in front, 64 at most.")
    }
    return String(text)
  }
}

/// What is wrong in a line.
struct LineFault: Error {
  let column: Int
  let sentence: String

  init(_ column: Int, _ sentence: String) {
    self.column = column
    self.sentence = sentence
  }
}
