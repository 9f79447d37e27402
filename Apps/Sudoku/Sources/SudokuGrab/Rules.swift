import SudokuCore

/// Makes of what the net sees a puzzle with one solution.
struct Rules {
  static let cluesMin = 17
  /// No puzzle is printed so full: it is a solution, and not what a person wants to solve.
  static let cluesMax = 60
  private static let cellsMax = 3
  private static let changesMax = 40
  private static let costMax: Float = 12
  private static let triesMax = 400
  private static let branchesMax = 2_000

  /// The puzzle, and what its changes cost in likelihood; nil where no cheap change gives one solution.
  static func accepted(_ likelihoods: [[Float]]) -> (grid: Grid, cost: Float, changed: [Int])? {
    let ranked = likelihoods.map { cell in cell.indices.sorted { cell[$0] > cell[$1] } }
    var best = Grid.empty
    for cell in 0..<81 { best[cell] = UInt8(ranked[cell][0]) }
    if isPuzzle(best) { return (best, 0, []) }
    var changes: [(cell: Int, value: Int, cost: Float)] = []
    for cell in 0..<81 {
      for value in ranked[cell][1...2] {
        let cost = likelihoods[cell][ranked[cell][0]] - likelihoods[cell][value]
        changes.append((cell, value, cost))
      }
    }
    changes = Array(changes.sorted { $0.cost < $1.cost }.prefix(changesMax))
    var sets: [(picked: [Int], cost: Float)] = []
    func pick(_ picked: [Int], _ cost: Float, from start: Int) {
      if !picked.isEmpty { sets.append((picked, cost)) }
      guard picked.count < cellsMax else { return }
      for next in start..<max(start, changes.count) where cost + changes[next].cost <= costMax {
        guard !picked.contains(where: { changes[$0].cell == changes[next].cell }) else { continue }
        pick(picked + [next], cost + changes[next].cost, from: next + 1)
      }
    }
    pick([], 0, from: 0)
    var tries = 0
    for set in sets.sorted(by: { ($0.cost, $0.picked.count) < ($1.cost, $1.picked.count) }) {
      var grid = best
      for change in set.picked { grid[changes[change].cell] = UInt8(changes[change].value) }
      guard cluesMin...cluesMax ~= grid.clueCount, grid.clash == nil else { continue }
      if isPuzzle(grid) { return (grid, set.cost, set.picked.map { changes[$0].cell }.sorted()) }
      tries += 1
      if tries == triesMax { break }
    }
    return nil
  }

  private static func isPuzzle(_ grid: Grid) -> Bool {
    guard cluesMin...cluesMax ~= grid.clueCount, grid.clash == nil,
      case .one = grid.verdict(branchesMax: branchesMax)
    else { return false }
    return true
  }
}
