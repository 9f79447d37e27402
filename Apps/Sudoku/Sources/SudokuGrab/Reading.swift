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
  /// Most puzzles have about as many clues.
  private static let turnedCells = 24

  /// Reads the largest printed Sudoku of a photograph, whichever way it is turned, dark on light or
  /// light on dark. Gives nil if there is no grid of nine by nine. Notes in cells are passed over.
  ///
  /// It takes about 40 ms of CPU, some times as much where the lines are hard to find, and a few
  /// hundred bytes for each pixel of 1000 x 1000. Its steps are bounded, and the same photograph
  /// gives the same reading on every run.
  public init?(_ photograph: Photograph) {
    let isDark = photograph.isDark
    guard let first = Self.best(of: isDark ? photograph.negative : photograph, passesMax: 20) else {
      // Nothing is there, or it is light on dark in a picture that is not dark, or the other way.
      let other = isDark ? photograph : photograph.negative
      guard let second = Self.best(of: other, passesMax: 10) else { return nil }
      self = second
      return
    }
    self = first
  }

  /// The best reading of what is dark on light; nil if there is no grid.
  private static func best(of photograph: Photograph, passesMax: Int) -> Reading? {
    let (whole, quad) = read(photograph, passesMax: passesMax)
    if let whole, whole.isPuzzle { return whole }
    if let quad, let bare = withoutNotes(photograph, quad) { return bare }
    // Half as large, noise and small print are less.
    let (half, _) = read(photograph.halved, passesMax: passesMax / 2)
    if let half, half.isPuzzle { return half }
    return [whole, half].compactMap(\.self).first { $0.gridScore >= GridSearch.fair }
  }

  /// A puzzle that is seen once small marks are taken away: among notes faint lines are lost, and in
  /// cells they pass for digits.
  private static func withoutNotes(_ photograph: Photograph, _ quad: Quad) -> Reading? {
    let bare = photograph.withoutNotes(inCells: quad.area.squareRoot() / 9)
    let grid = Straightening.grid(in: bare.grey, quad)
    guard grid.score >= GridSearch.poor else { return nil }
    let reading = Reading(of: grid, in: bare)
    return reading.isPuzzle ? reading : nil
  }

  /// The last reading of one search, which is sure or of the best grid, and where that is.
  private static func read(
    _ photograph: Photograph, passesMax: Int
  ) -> (reading: Reading?, quad: Quad?) {
    var search = GridSearch(photograph.grey, passesMax: passesMax)
    var last: Reading?
    while let found = search.next() {
      last = Reading(of: found, in: photograph)
      if last?.isSure == true { break }
    }
    return (last, search.likeliest)
  }

  private init(of found: FoundGrid, in photograph: Photograph) {
    var cells = Cells(of: found, in: photograph.green)
    // Which way it is turned is seen by cells with digits: empty ones look the same in each.
    var best: (turn: Int, total: Float) = (0, -.infinity)
    for turn in 0..<4 {
      let likelihoods = cells.likelihoods(of: cells.inked(Self.turnedCells), by: Net.trained)
      let total = likelihoods.reduce(0) { $0 + ($1.max() ?? 0) }
      if total > best.total { best = (turn, total) }
      cells.turn()
    }
    for _ in 0..<best.turn { cells.turn() }
    let corners = found.quad.corners.map { ($0 * photograph.scale) }
    // Turned clockwise by a quarter, the corner at the bottom left is at the top left.
    self.init(
      cells.likelihoods(by: Net.trained),
      corners: (0..<4).map { corners[($0 + 4 - best.turn) % 4] },
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
