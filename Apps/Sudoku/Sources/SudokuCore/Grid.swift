/// The 81 cells of a Sudoku, row by row: 1 to 9, or 0 where a cell is empty.
///
/// A grid may break the rules, as a half-read photograph or a mistaken entry does; ``clash`` tells.
public struct Grid: Hashable, Sendable {
  /// The values, row by row.
  public private(set) var cells: [UInt8]

  /// A grid without a digit.
  public static let empty = Grid(unchecked: [UInt8](repeating: 0, count: 81))

  /// A grid of 81 values of 0 to 9, or nil for anything else.
  public init?(_ cells: [UInt8]) {
    guard cells.count == 81, cells.allSatisfy({ $0 <= 9 }) else { return nil }
    self.cells = cells
  }

  init(unchecked cells: [UInt8]) { self.cells = cells }

  /// The value of a cell, 0 to 80; a value over 9 empties it.
  public subscript(cell: Int) -> UInt8 {
    get { cells[cell] }
    set { cells[cell] = newValue <= 9 ? newValue : 0 }
  }

  /// How many cells hold a digit.
  public var clueCount: Int { cells.count { $0 != 0 } }

  /// Whether no cell is empty.
  public var isFull: Bool { clueCount == 81 }

  /// The first digit that stands twice in a house, and where.
  public var clash: Clash? {
    for house in House.all {
      var seen = [Int](repeating: -1, count: 10)
      for cell in house.cells where cells[cell] != 0 {
        let digit = Int(cells[cell])
        if seen[digit] >= 0 {
          return Clash(digit: cells[cell], house: house, cells: [seen[digit], cell])
        }
        seen[digit] = cell
      }
    }
    return nil
  }

  /// Whether each filled cell of this grid holds the same in another.
  public func isPart(of other: Grid) -> Bool {
    zip(cells, other.cells).allSatisfy { $0 == 0 || $0 == $1 }
  }
}

/// One digit that stands twice in a row, column or box.
public struct Clash: Hashable, Sendable, CustomStringConvertible {
  /// The digit.
  public let digit: UInt8
  /// The row, column or box.
  public let house: House
  /// The two cells.
  public let cells: [Int]

  /// One sentence that names the digit and the house.
  public var description: String { "Two \(digit)s stand in \(house). Change one of them." }
}
