public import SudokuCore

/// What was read of a photograph of a Sudoku.
public struct Reading: Hashable, Sendable {
  /// The digits, as they stand upright.
  public let grid: Grid
  /// Whether the digits are a puzzle with one solution.
  public let isPuzzle: Bool
  /// Whether nothing is in doubt: show it as it is.
  public var isSure: Bool { isPuzzle && doubts.isEmpty }
  /// The cells that a person should look at, in order.
  public let doubts: [Int]
  /// How likely the least likely cell is what was read, 0 to 1.
  public let confidence: Float
  /// The puzzle's corners in the photograph, clockwise from its own top left.
  public let corners: [Point]
  /// How surely there is a grid, 0 to 1.
  public let gridScore: Float

  /// What a cell's best likelihood must be ahead of its second.
  private static let marginMin: Float = 0.3
  private static let repairMax: Float = 2

  /// Reads the largest printed Sudoku of a photograph, whichever way it is turned, or gives nil where
  /// there is no grid of nine by nine.
  ///
  /// It takes some tenths of a second of CPU and a few hundred bytes for each pixel of 1000 x 1000. The
  /// same photograph gives the same reading on every run.
  public init?(_ photograph: Photograph) {
    var kept: Reading?
    // Half as large, noise and small print are less.
    for photograph in [photograph, photograph.halved] {
      var search = GridSearch(photograph.grey)
      guard let found = search.run(),
        let reading = Reading(of: found, in: photograph)
      else { continue }
      if reading.isPuzzle {
        self = reading
        return
      }
      if kept == nil, found.score >= GridSearch.fair { kept = reading }
    }
    guard let kept else { return nil }
    self = kept
  }

  private init?(of found: FoundGrid, in photograph: Photograph) {
    var cells = Cells(of: found, in: photograph.green)
    var best: (turn: Int, likelihoods: [[Float]], total: Float)?
    for turn in 0..<4 {
      if turn > 0 { cells.turn() }
      let likelihoods = cells.likelihoods(by: Net.trained)
      let total = likelihoods.reduce(0) { $0 + ($1.max() ?? 0) }
      if total > best?.total ?? -.infinity { best = (turn, likelihoods, total) }
    }
    guard let best else { return nil }
    let corners = found.quad.corners.map { ($0 * photograph.scale) }
    // Turned clockwise by a quarter, the corner at the bottom left is at the top left.
    self.init(
      best.likelihoods, corners: (0..<4).map { corners[($0 + 4 - best.turn) % 4] },
      gridScore: found.score)
  }

  init(_ likelihoods: [[Float]], corners: [Point], gridScore: Float) {
    (self.corners, self.gridScore) = (corners, gridScore)
    let margins = likelihoods.map { cell in
      let sorted = cell.sorted(by: >)
      return sorted[0] - sorted[1]
    }
    let accepted = Rules.accepted(likelihoods)
    isPuzzle = accepted != nil
    var doubts = Set((0..<81).filter { margins[$0] < Self.marginMin })
    if let accepted {
      grid = accepted.grid
      // A cheap change that alone gives one solution needs no question.
      if !accepted.changed.isEmpty {
        doubts = accepted.cost <= Self.repairMax ? [] : doubts.union(accepted.changed)
      }
    } else {
      var grid = Grid.empty
      for cell in 0..<81 {
        let row = likelihoods[cell]
        grid[cell] = UInt8(row.indices.max { row[$0] < row[$1] } ?? 0)
      }
      self.grid = grid
      doubts.formUnion((0..<81).filter { margins[$0] < 2 })
      doubts.formUnion(grid.clash?.cells ?? [])
    }
    self.doubts = doubts.sorted()
    let grid = self.grid
    confidence = (0..<81).map { exponential(likelihoods[$0][Int(grid[$0])]) }.min() ?? 0
  }
}
