/// A row, a column or a box: nine cells that hold each digit once.
public struct House: Hashable, Sendable, CustomStringConvertible {
  /// 0 to 8 are the rows, 9 to 17 the columns, 18 to 26 the boxes.
  public let index: Int

  /// All 27, rows first.
  public static let all = (0..<27).map(House.init)
  static let rows = Array(all[0..<9])
  static let columns = Array(all[9..<18])
  static let boxes = Array(all[18...])
  /// All, in the order in which a person looks.
  static let boxesFirst = boxes + rows + columns

  private static let table: [[Int]] = (0..<27).map { house in
    let n = house % 9
    return (0..<9).map { i in
      switch house / 9 {
      case 0: n * 9 + i
      case 1: i * 9 + n
      default: (n / 3 * 3 + i / 3) * 9 + n % 3 * 3 + i % 3
      }
    }
  }

  /// The 20 other cells of each cell's houses, in order.
  static let peers: [[Int]] = (0..<81).map { cell in
    Set(House.of(cell).flatMap { $0.cells }).subtracting([cell]).sorted()
  }

  /// Its nine cells, in order.
  public var cells: [Int] { Self.table[index] }

  /// The row, the column and the box of a cell.
  public static func of(_ cell: Int) -> [House] {
    let (row, column) = (cell / 9, cell % 9)
    return [
      House(index: row), House(index: 9 + column), House(index: 18 + row / 3 * 3 + column / 3),
    ]
  }

  /// Whether two cells differ and share a house.
  static func see(_ a: Int, _ b: Int) -> Bool {
    a != b && (a / 9 == b / 9 || a % 9 == b % 9 || (a / 27 == b / 27 && a % 9 / 3 == b % 9 / 3))
  }

  /// "row 3", "column 1" or "box 9".
  public var description: String { "\(["row", "column", "box"][index / 9]) \(index % 9 + 1)" }

  init(index: Int) { self.index = index }
}
