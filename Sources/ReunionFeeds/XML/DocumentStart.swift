/// What stands before a document although XML has no room for it there: blank lines, and marks of the
/// byte order. The marks say what a blank is; the blanks are taken away.
struct DocumentStart {
  private enum Order { case bytes, littleEndian, bigEndian }

  /// Where the document begins, counted from 1.
  private(set) var (line, column) = (1, 1)
  private var order = Order.bytes
  private var mark: [UInt8] = []
  /// The beginning of a mark or a blank, whose other bytes have not arrived.
  private var open: [UInt8] = []
  private(set) var isOver = false
  private var isEnded = false

  /// How many of the next bytes belong to what stands before the document.
  mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    for (index, byte) in bytes.enumerated() where !isOver {
      open.append(byte)
      if takesMark() {
        mark = open
        open = []
      } else if let blank {
        if blank == 10 { (line, column) = (line + 1, 1) } else { column += 1 }
        open = []
      } else if !mayGoOn {
        open.removeLast()
        isOver = true
        return index
      }
    }
    return bytes.count
  }

  /// What the parser gets before the document, once: its mark, and bytes that were taken for the
  /// beginning of another mark or blank.
  mutating func end() -> [UInt8]? {
    guard !isEnded else { return nil }
    (isOver, isEnded) = (true, true)
    return mark + open
  }

  private static let marks: [[UInt8]] = [[0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFE, 0xFF]]

  private mutating func takesMark() -> Bool {
    // A second mark is of the same order: in another one its bytes are a letter.
    guard mark.isEmpty ? Self.marks.contains(open) : open == mark else { return false }
    order = open.count == 3 ? .bytes : open[0] == 0xFF ? .littleEndian : .bigEndian
    return true
  }

  private var blank: UInt8? {
    let byte: UInt8? =
      switch order {
      case .bytes: open.count == 1 ? open[0] : nil
      case .littleEndian: open.count == 2 && open[1] == 0 ? open[0] : nil
      case .bigEndian: open.count == 2 && open[0] == 0 ? open[1] : nil
      }
    return byte.flatMap { $0.isSpace ? $0 : nil }
  }

  private var mayGoOn: Bool {
    let marks = mark.isEmpty ? Self.marks : [mark]
    if marks.contains(where: { $0.count > open.count && $0.starts(with: open) }) { return true }
    return switch order {
    case .bytes: false
    case .littleEndian: open.count == 1 && open[0].isSpace
    case .bigEndian: open == [0]
    }
  }
}
