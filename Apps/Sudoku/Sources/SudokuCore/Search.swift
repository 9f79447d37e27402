/// What the search of a grid's solutions found.
public enum Verdict: Hashable, Sendable {
  /// No grid continues this one by the rules.
  case none
  /// Exactly one does, which is proved.
  case one(Grid)
  /// At least these two do.
  case several(Grid, Grid)
  /// The search took more branches than it was allowed.
  case unknown
}

extension Grid {
  /// Proves whether a grid has no solution, one, or several.
  ///
  /// - Parameter branchesMax: The branches after which it gives up. The hardest known puzzles need
  ///   a few hundred.
  /// - Returns: What was proved, or that it gave up.
  public func verdict(branchesMax: Int = 200_000) -> Verdict {
    var search = Search(branchesMax: branchesMax, solutionsMax: 2, random: nil)
    search.run(self)
    if search.gaveUp { return .unknown }
    switch search.found.count {
    case 0: return .none
    case 1: return .one(search.found[0])
    default: return .several(search.found[0], search.found[1])
    }
  }

  /// The one solution.
  ///
  /// - Throws: A sentence that says why there is none, or more than one.
  public func solution() throws(GridError) -> Grid {
    if let clash { throw GridError(code: .clash, description: "\(clash)") }
    switch verdict() {
    case .one(let solution): return solution
    case .none:
      throw GridError(
        code: .unsolvable,
        description: "This Sudoku has no solution. Look whether each digit is as printed.")
    case .several:
      throw GridError(
        code: .ambiguous,
        description: "This Sudoku has more than one solution. Look whether a digit is missing.")
    case .unknown:
      throw GridError(
        code: .tooFar,
        description: "No solution was found in a sensible time. Look whether each digit is right.")
    }
  }
}

/// Looks for solutions: what the rules force, and then the cell with the fewest candidates.
struct Search {
  let branchesMax: Int
  let solutionsMax: Int
  /// Chooses the order of digits; nil for the smallest first.
  var random: SplitMix?
  private(set) var found: [Grid] = []
  private(set) var gaveUp = false
  private var branches = 0
  private let table = Table.shared

  init(branchesMax: Int, solutionsMax: Int, random: SplitMix?) {
    (self.branchesMax, self.solutionsMax, self.random) = (branchesMax, solutionsMax, random)
  }

  /// Looks for solutions of a grid, all of them or those without a mark.
  mutating func run(_ grid: Grid, without mark: Mark? = nil) {
    guard var masks = Self.start(grid, table) else { return }
    if let mark {
      masks[mark.cell] &= ~(1 << (mark.digit - 1))
      guard masks[mark.cell] != 0 else { return }
      if masks[mark.cell].isSingle, !Self.spread(from: mark.cell, in: &masks, table) { return }
    }
    branch(masks)
  }

  /// The grid with all that singles settle, or nil where they contradict each other.
  static func forced(_ grid: Grid) -> Grid? {
    let table = Table.shared
    guard var masks = start(grid, table), force(&masks, table) else { return nil }
    return Grid(unchecked: masks.map { $0.isSingle ? UInt8($0.trailingZeroBitCount) + 1 : 0 })
  }

  /// Does all that singles settle of the candidates of each cell; false at a contradiction.
  static func settle(_ masks: inout [UInt16]) -> Bool {
    let table = Table.shared
    for cell in 0..<81 where masks[cell].isSingle {
      guard masks[cell] != 0, spread(from: cell, in: &masks, table) else { return false }
    }
    return force(&masks, table)
  }

  /// The candidates of each cell, with all that singles settle; nil at a contradiction.
  private static func start(_ grid: Grid, _ table: Table) -> [UInt16]? {
    var used = [UInt16](repeating: 0, count: 27)
    for cell in 0..<81 where grid[cell] != 0 {
      let bit: UInt16 = 1 << (grid[cell] - 1)
      for house in cell * 3..<cell * 3 + 3 {
        guard used[Int(table.houses[house])] & bit == 0 else { return nil }
        used[Int(table.houses[house])] |= bit
      }
    }
    var masks = [UInt16](repeating: 0, count: 81)
    for cell in 0..<81 {
      if grid[cell] != 0 {
        masks[cell] = 1 << (grid[cell] - 1)
      } else {
        let houses = cell * 3..<cell * 3 + 3
        masks[cell] = 0x1FF & ~houses.reduce(0) { $0 | used[Int(table.houses[$1])] }
        if masks[cell] == 0 { return nil }
      }
    }
    for cell in 0..<81 where grid[cell] == 0 && masks[cell].isSingle {
      guard spread(from: cell, in: &masks, table) else { return nil }
    }
    return masks
  }

  private mutating func branch(_ start: [UInt16]) {
    var masks = start
    guard Self.force(&masks, table) else { return }
    var (best, fewest) = (-1, 10)
    for cell in 0..<81 where !masks[cell].isSingle {
      let count = masks[cell].nonzeroBitCount
      guard count < fewest else { continue }
      (best, fewest) = (cell, count)
      if count == 2 { break }
    }
    guard best >= 0 else {
      found.append(Grid(unchecked: masks.map { UInt8($0.trailingZeroBitCount) + 1 }))
      return
    }
    var digits = (0..<9).filter { masks[best] >> $0 & 1 != 0 }
    if var random {
      digits.shuffle(using: &random)
      self.random = random
    }
    for digit in digits {
      branches += 1
      if branches > branchesMax { gaveUp = true }
      if gaveUp || found.count >= solutionsMax { return }
      var next = masks
      next[best] = 1 << digit
      if Self.spread(from: best, in: &next, table) { branch(next) }
    }
  }

  /// Takes what a cell of one candidate holds from its peers, and so on; false where one is left
  /// without a candidate.
  private static func spread(from cell: Int, in masks: inout [UInt16], _ table: Table) -> Bool {
    let bit = masks[cell]
    for index in cell * 20..<cell * 20 + 20 {
      let peer = Int(table.peers[index])
      guard masks[peer] & bit != 0 else { continue }
      let left = masks[peer] & ~bit
      masks[peer] = left
      if left == 0 || (left.isSingle && !spread(from: peer, in: &masks, table)) { return false }
    }
    return true
  }

  /// Places each digit that has one place left in a house, until nothing changes.
  private static func force(_ masks: inout [UInt16], _ table: Table) -> Bool {
    var changed = true
    while changed {
      changed = false
      for house in 0..<27 {
        let cells = house * 9..<house * 9 + 9
        var (once, twice, fixed): (UInt16, UInt16, UInt16) = (0, 0, 0)
        for index in cells {
          let mask = masks[Int(table.cells[index])]
          twice |= once & mask
          once |= mask
          if mask.isSingle { fixed |= mask }
        }
        guard once == 0x1FF else { return false }
        var hidden = once & ~twice & ~fixed
        guard hidden != 0 else { continue }
        for index in cells {
          let cell = Int(table.cells[index])
          let bit = masks[cell] & hidden
          guard bit != 0 else { continue }
          guard bit.isSingle else { return false }
          hidden &= ~bit
          masks[cell] = bit
          guard spread(from: cell, in: &masks, table) else { return false }
          changed = true
        }
        guard hidden == 0 else { return false }
      }
    }
    return true
  }
}

/// Which cells share houses, in rows of numbers.
private struct Table {
  static let shared = Table()
  /// 20 of each cell.
  let peers = House.peers.flatMap { $0.map { UInt8($0) } }
  /// Nine of each house.
  let cells = House.all.flatMap { $0.cells.map { UInt8($0) } }
  /// Three of each cell.
  let houses = (0..<81).flatMap { House.of($0).map { UInt8($0.index) } }
}

extension UInt16 {
  /// Whether one bit of a mask that is not 0 is set.
  fileprivate var isSingle: Bool { self & (self &- 1) == 0 }
}
