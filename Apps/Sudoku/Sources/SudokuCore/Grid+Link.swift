extension Grid {
  /// The grid in a link: digits as they are, and a letter for each run of empty cells, `a` for one
  /// to `z` for 26. About 45 characters, all of which stand in a link unescaped.
  public var link: String {
    var out: [UInt8] = []
    var run: UInt8 = 0
    for value in cells {
      if value == 0 { run += 1 }
      if run > 0, value != 0 || run == 26 {
        out.append(96 + run)
        run = 0
      }
      if value != 0 { out.append(48 + value) }
    }
    if run > 0 { out.append(96 + run) }
    return String(decoding: out, as: UTF8.self)
  }

  /// Reads what ``link`` made.
  ///
  /// - Throws: A sentence where the link was cut, or is none.
  public init(link: String) throws(GridError) {
    var cells: [UInt8] = []
    for byte in link.utf8 {
      switch byte {
      case 49...57: cells.append(byte - 48)
      case 97...122: cells += [UInt8](repeating: 0, count: Int(byte - 96))
      default:
        throw GridError(
          code: .character,
          description: "This link holds no Sudoku: it may have digits and small letters alone. "
            + "Copy it again, whole.")
      }
      guard cells.count <= 81 else { break }
    }
    guard cells.count == 81 else {
      throw GridError(
        code: .count,
        description: "This link holds \(cells.count > 81 ? "more" : "fewer") than 81 cells. "
          + "Copy it again, whole.")
    }
    self.init(unchecked: cells)
  }
}
