/// Where the SQL of a changeset stands in its file, and what its parameters are.
package struct Body: Sendable {
  let source: SourceText
  /// Runs of lines of the file, each with its line number; between them are lines that say something
  /// of the changeset.
  private(set) var pieces: [(range: Range<Int>, line: Int)] = []
  var parameters = Parameters()

  init(_ source: SourceText) { self.source = source }

  /// A whole file, or a text whose first line has a number.
  init(whole source: SourceText, line: Int = 1) {
    self.source = source
    add(source.start..<source.bytes.count, line: line)
  }

  /// Adds a part of the file: a line with its end, or what of a line is SQL.
  mutating func add(_ range: Range<Int>, line: Int) {
    if let last = pieces.last, last.range.upperBound == range.lowerBound {
      pieces[pieces.count - 1].range = last.range.lowerBound..<range.upperBound
    } else {
      pieces.append((range, line))
    }
  }

  /// Whether there is nothing but whitespace in it.
  var isBlank: Bool {
    pieces.allSatisfy { piece in source.bytes[piece.range].allSatisfy { $0 <= 0x20 } }
  }

  /// The text that the database is given: lines end in LF, parameters are put in, and whitespace at
  /// both ends is cut off. A text that stands in the file just so is not copied.
  func text() -> SQLText {
    if pieces.count == 1, isPlain(pieces[0].range) {
      return SQLText(
        source.bytes[pieces[0].range], [SQLText.Mark(offset: 0, line: pieces[0].line)], source.path)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(pieces.reduce(0) { $0 + $1.range.count })
    var marks: [SQLText.Mark] = []
    for (range, line) in pieces {
      // What of a line is SQL stands on a line of its own.
      if let last = bytes.last, last != 0x0a { bytes.append(0x0a) }
      marks.append(SQLText.Mark(offset: bytes.count, line: line))
      add(source.bytes[range], line, to: &bytes, &marks)
    }
    return SQLText(bytes[...], marks, source.path)
  }

  private func isPlain(_ range: Range<Int>) -> Bool {
    source.bytes.withUnsafeBufferPointer { bytes in
      var at = range.lowerBound
      while at < range.upperBound {
        if bytes[at] == 0x0d { return false }
        if bytes[at] == 0x24, at + 1 < range.upperBound, bytes[at + 1] == 0x7b {
          return parameters.isEmpty
        }
        at += 1
      }
      return true
    }
  }

  private func add(
    _ piece: ArraySlice<UInt8>, _ line: Int, to bytes: inout [UInt8], _ marks: inout [SQLText.Mark]
  ) {
    var at = piece.startIndex
    var line = line
    while at < piece.endIndex {
      switch piece[at] {
      case 0x0d:
        if at + 1 == piece.endIndex || piece[at + 1] != 0x0a {
          bytes.append(0x0a)
          line += 1
        }
      case 0x0a:
        bytes.append(0x0a)
        line += 1
      case 0x24:
        if let (value, end) = parameters.value(at: at, in: piece) {
          bytes += value
          marks.append(SQLText.Mark(offset: bytes.count, line: line))
          at = end
          continue
        }
        bytes.append(0x24)
      case let byte: bytes.append(byte)
      }
      at += 1
    }
  }
}

/// SQL as the database is given it, which knows on which line of which file each part stands.
package struct SQLText: Sendable {
  struct Mark: Sendable {
    let offset: Int
    let line: Int
  }

  /// Trimmed at both ends.
  let bytes: ArraySlice<UInt8>
  /// What the file is called in messages.
  let file: String
  private let untrimmed: ArraySlice<UInt8>
  /// Lines of the file, by offset in the untrimmed text.
  private let marks: [Mark]

  init(_ bytes: ArraySlice<UInt8>, _ marks: [Mark], _ file: String) {
    self.file = file
    self.marks = marks
    untrimmed = bytes
    self.bytes = Self.trimmed(bytes)
  }

  /// Without what Java's `trim` takes off.
  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let first = bytes.firstIndex(where: { $0 > 0x20 }),
      let last = bytes.lastIndex(where: { $0 > 0x20 })
    else { return bytes[bytes.startIndex..<bytes.startIndex] }
    return bytes[first...last]
  }

  /// The line on which the byte at an index of `bytes` stands.
  func place(of index: Int) -> Place {
    var counter = LineCounter()
    return place(of: index, &counter)
  }

  /// The same, counted from where a counter was last, so that all places of a text cost one walk.
  func place(of index: Int, _ counter: inout LineCounter) -> Place {
    let offset = min(max(index, untrimmed.startIndex), untrimmed.endIndex) - untrimmed.startIndex
    if offset < counter.offset { counter = LineCounter() }
    while counter.markCount < marks.count, marks[counter.markCount].offset <= offset {
      counter.offset = marks[counter.markCount].offset
      counter.line = marks[counter.markCount].line
      counter.markCount += 1
    }
    let start = untrimmed.startIndex
    counter.line += untrimmed[(start + counter.offset)..<(start + offset)].newlineCount
    counter.offset = offset
    return Place(file, counter.line)
  }

  /// A place in a text, and its line.
  struct LineCounter {
    fileprivate var offset = 0
    fileprivate var line = 1
    fileprivate var markCount = 0
  }
}

extension ArraySlice<UInt8> {
  /// How many lines end in it.
  var newlineCount: Int {
    withUnsafeBufferPointer { bytes in
      var count = 0
      for byte in bytes where byte == 0x0a { count += 1 }
      return count
    }
  }
}
