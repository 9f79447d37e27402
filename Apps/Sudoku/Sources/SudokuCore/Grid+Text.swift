extension Grid {
  /// The most characters that are read: a drawn grid has fewer than 800.
  static let textMax = 10_000

  /// Reads the usual 81-character text, one line or many, or a drawn grid.
  ///
  /// Empty cells are `.`, `0`, `_`, `*` or `?`, and `-` where the lines of no drawn grid need it. White
  /// space, `|`, `+`, `=`, `,` and the characters that boxes are drawn with are passed over.
  ///
  /// - Throws: A sentence where the text is too long, has another character, or not 81 cells. Two
  ///   equal digits in a house are no error here: ``clash`` tells of them.
  public init(text: String) throws(GridError) {
    var cells: [UInt8] = []
    var dashed: [UInt8] = []
    var (line, column, length) = (1, 0, 0)
    for scalar in text.unicodeScalars {
      (column, length) = (column + 1, length + 1)
      guard length <= Self.textMax else {
        throw GridError(
          code: .length,
          description: "This text is longer than \(Self.textMax) characters, and no Sudoku. "
            + "Give one Sudoku of 81 cells.")
      }
      switch scalar {
      case "1"..."9":
        cells.append(UInt8(scalar.value - 48))
        dashed.append(UInt8(scalar.value - 48))
      case ".", "0", "_", "*", "?":
        cells.append(0)
        dashed.append(0)
      case "-": dashed.append(0)
      case "\n": (line, column) = (line + 1, 0)
      case " ", "\t", "\r", "\u{A0}", "\u{FEFF}", "|", "+", "=", ",", ";", "\u{2500}"..."\u{257F}":
        continue
      default:
        throw GridError(
          code: .character,
          description: "\(Self.quoted(scalar)) in line \(line), place \(column), is no cell. "
            + "Write 1 to 9, and a dot for an empty cell.")
      }
    }
    if cells.count != 81, dashed.count == 81 { cells = dashed }
    guard cells.count == 81 else {
      throw GridError(
        code: .count,
        description: "This has \(cells.count) cells, and a Sudoku has 81. "
          + "Write a dot for each empty cell.")
    }
    self.init(unchecked: cells)
  }

  /// Controls, marks of direction and others that show nothing, and what belongs to no writing.
  private static let unseen: [ClosedRange<UInt32>] = [
    127...159, 0xAD...0xAD, 0x61C...0x61C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F,
    0xE000...0xF8FF, 0xFE00...0xFE0F, 0xFFF9...0xFFFB, 0xE0000...0x10FFFF,
  ]

  private static func quoted(_ scalar: Unicode.Scalar) -> String {
    let isSeen = scalar.value > 32 && !unseen.contains { $0.contains(scalar.value) }
    return isSeen ? "“\(scalar)”" : "The character U+" + String(scalar.value, radix: 16)
  }

  /// The usual text: 81 characters, row by row, with a dot for an empty cell.
  public var text: String {
    String(decoding: cells.map { $0 == 0 ? UInt8(ascii: ".") : $0 + 48 }, as: UTF8.self)
  }
}
