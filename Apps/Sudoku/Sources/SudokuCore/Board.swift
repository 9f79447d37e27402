/// A grid with the candidates of its empty cells, as a person pencils them in.
public struct Board: Hashable, Sendable {
  /// The values, as far as they are known.
  public private(set) var grid: Grid
  /// Bit d - 1 says that digit d is a candidate; 0 where a cell has its value.
  private(set) var masks: [UInt16]

  /// The candidates that the rules leave to each empty cell of a grid.
  public init(_ grid: Grid) {
    self.grid = grid
    masks = (0..<81).map { cell in
      guard grid[cell] == 0 else { return 0 }
      return House.peers[cell].reduce(into: Self.all) { mask, peer in
        if grid[peer] != 0 { mask &= ~(1 << (grid[peer] - 1)) }
      }
    }
  }

  /// The candidates of a cell, in order; none if it has its value.
  public func candidates(_ cell: Int) -> [Int] { Self.digits(masks[cell]) }

  /// Whether each cell has its value.
  public var isSolved: Bool { grid.isFull }

  /// Whether an empty cell has no candidate, or a house no place for a digit.
  var isBroken: Bool {
    if (0..<81).contains(where: { grid[$0] == 0 && masks[$0] == 0 }) { return true }
    return House.all.contains { house in
      var seen: UInt16 = 0
      for cell in house.cells {
        seen |= masks[cell]
        if grid[cell] != 0 { seen |= 1 << (grid[cell] - 1) }
      }
      return seen != Self.all
    }
  }

  /// Places a value, and takes it from the candidates of the cell's peers.
  public mutating func place(_ mark: Mark) {
    grid[mark.cell] = UInt8(mark.digit)
    masks[mark.cell] = 0
    for peer in House.peers[mark.cell] { masks[peer] &= ~Self.bit(mark.digit) }
  }

  /// Places all that singles settle; false where they contradict each other.
  mutating func settleSingles() -> Bool {
    var all = (0..<81).map { grid[$0] == 0 ? masks[$0] : 1 << (grid[$0] - 1) }
    guard Search.settle(&all) else { return false }
    for cell in 0..<81 where grid[cell] == 0 {
      let isSettled = all[cell].nonzeroBitCount == 1
      if isSettled { grid[cell] = UInt8(all[cell].trailingZeroBitCount) + 1 }
      masks[cell] = isSettled ? 0 : all[cell]
    }
    return true
  }

  /// Takes a candidate from a cell.
  public mutating func remove(_ mark: Mark) { masks[mark.cell] &= ~Self.bit(mark.digit) }

  /// Does what a step concludes.
  public mutating func apply(_ step: Step) {
    if let placed = step.placed { place(placed) }
    for mark in step.removed { remove(mark) }
  }

  /// The mask of all nine digits.
  static let all: UInt16 = 0x1FF

  static func bit(_ digit: Int) -> UInt16 { 1 << (digit - 1) }

  static func digits(_ mask: UInt16) -> [Int] { (1...9).filter { mask & bit($0) != 0 } }

  func has(_ digit: Int, _ cell: Int) -> Bool { masks[cell] & Self.bit(digit) != 0 }

  /// The cells of a house in which a digit is a candidate.
  func places(_ digit: Int, in house: House) -> [Int] { house.cells.filter { has(digit, $0) } }

  /// The same as a mask: bit i says that it is one in the cell at index i of the house.
  func spots(_ digit: Int, in house: House) -> UInt16 {
    house.cells.enumerated().reduce(into: 0) { mask, spot in
      if has(digit, spot.element) { mask |= 1 << spot.offset }
    }
  }

  /// The candidates of these digits in these cells.
  func marks(_ mask: UInt16, in cells: [Int]) -> [Mark] {
    cells.flatMap { cell in Self.digits(mask & masks[cell]).map { Mark(cell, $0) } }
  }
}

/// Calls the body with each way to pick size of the masks, and the union, until it gives a value.
func firstUnion<Value>(
  of masks: [UInt16], size: Int, _ body: (_ picked: [Int], _ union: UInt16) -> Value?
) -> Value? {
  func pick(_ picked: [Int], _ union: UInt16, from start: Int) -> Value? {
    if picked.count == size { return body(picked, union) }
    for next in start..<max(start, masks.count) where masks[next] != 0 {
      let wider = union | masks[next]
      guard wider.nonzeroBitCount <= size else { continue }
      if let value = pick(picked + [next], wider, from: next + 1) { return value }
    }
    return nil
  }
  return pick([], 0, from: 0)
}
