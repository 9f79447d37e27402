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

  init(branchesMax: Int, solutionsMax: Int, random: SplitMix?) {
    (self.branchesMax, self.solutionsMax, self.random) = (branchesMax, solutionsMax, random)
  }

  mutating func run(_ grid: Grid) {
    if let masks = Self.start(grid) { branch(masks) }
  }

  /// The grid with all that singles settle, or nil where they contradict each other.
  static func forced(_ grid: Grid) -> Grid? {
    guard var masks = start(grid), force(&masks) else { return nil }
    return Grid(
      unchecked: masks.map { $0.nonzeroBitCount == 1 ? UInt8($0.trailingZeroBitCount) + 1 : 0 })
  }

  private static func start(_ grid: Grid) -> [UInt16]? {
    var masks = [UInt16](repeating: 0x1FF, count: 81)
    for cell in 0..<81 where grid[cell] != 0 {
      let bit: UInt16 = 1 << (grid[cell] - 1)
      guard masks[cell] & bit != 0 else { return nil }
      masks[cell] = bit
      guard spread(from: [cell], in: &masks) else { return nil }
    }
    return masks
  }

  private mutating func branch(_ start: [UInt16]) {
    var masks = start
    guard Self.force(&masks) else { return }
    var (best, fewest) = (-1, 10)
    for cell in 0..<81 {
      let count = masks[cell].nonzeroBitCount
      guard count > 1, count < fewest else { continue }
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
      if Self.spread(from: [best], in: &next) { branch(next) }
    }
  }

  /// Takes what single cells hold from their peers, until nothing changes; false where a cell is left
  /// without a candidate.
  private static func spread(from cells: [Int], in masks: inout [UInt16]) -> Bool {
    var open = cells
    while let cell = open.popLast() {
      let bit = masks[cell]
      for peer in House.peers[cell] where masks[peer] & bit != 0 {
        masks[peer] &= ~bit
        if masks[peer] == 0 { return false }
        if masks[peer].nonzeroBitCount == 1 { open.append(peer) }
      }
    }
    return true
  }

  /// Places each digit that has one place left in a house, until nothing changes.
  private static func force(_ masks: inout [UInt16]) -> Bool {
    var changed = true
    while changed {
      changed = false
      for house in House.all {
        var (once, twice, fixed): (UInt16, UInt16, UInt16) = (0, 0, 0)
        for cell in house.cells {
          let mask = masks[cell]
          twice |= once & mask
          once |= mask
          if mask.nonzeroBitCount == 1 { fixed |= mask }
        }
        guard once == 0x1FF else { return false }
        var hidden = once & ~twice & ~fixed
        while hidden != 0 {
          let bit = hidden & (~hidden + 1)
          hidden &= ~bit
          guard let cell = house.cells.first(where: { masks[$0] & bit != 0 }) else { return false }
          masks[cell] = bit
          guard spread(from: [cell], in: &masks) else { return false }
          changed = true
        }
      }
    }
    return true
  }
}
