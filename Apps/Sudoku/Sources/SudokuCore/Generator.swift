/// A puzzle with its one solution and its grade.
public struct Puzzle: Hashable, Sendable {
  /// What is printed.
  public let clues: Grid
  /// The one way to fill it, which was proved.
  public let solution: Grid
  /// The grade of the hardest technique that it needs.
  public let grade: Grade

  /// Proves and grades a grid.
  ///
  /// - Throws: A sentence if the grid does not have exactly one solution.
  public init(_ clues: Grid) throws(GridError) {
    self.init(clues: clues, solution: try clues.solution(), grade: Self.grade(of: clues))
  }

  init(clues: Grid, solution: Grid, grade: Grade) {
    (self.clues, self.solution, self.grade) = (clues, solution, grade)
  }

  /// The grade of a grid with one solution; where it is above `most`, only that it is so counts.
  static func grade(of clues: Grid, most: Grade = .expert) -> Grade {
    guard let singles = Search.forced(clues) else { return .expert }
    if singles.isFull { return .easy }
    var board = Board(singles)
    for grade in [Grade.medium, .hard] where grade <= most {
      board.finish(upTo: grade)
      if board.isSolved { return grade }
    }
    return .expert
  }
}

/// Makes puzzles without end; one seed makes the same ones everywhere.
public struct Generator: Sendable {
  /// How many clues are tried as the one that makes a puzzle just easy enough.
  private static let triesMost = 4
  private var random: SplitMix

  /// The puzzles of a seed.
  public init(seed: UInt64) { random = SplitMix(seed: seed) }

  /// The next puzzle of a grade.
  public mutating func next(_ grade: Grade) -> Puzzle {
    while true {
      let solution = filled()
      if let clues = thinned(solution, to: grade) {
        return Puzzle(clues: clues, solution: solution, grade: grade)
      }
    }
  }

  /// A full grid: three boxes at will, and the rest by search.
  private mutating func filled() -> Grid {
    var grid = Grid.empty
    for box in [0, 4, 8] {
      for (cell, digit) in zip(House.boxes[box].cells, (1...9).shuffled(using: &random)) {
        grid[cell] = UInt8(digit)
      }
    }
    let order = SplitMix(seed: random.next())
    var search = Search(branchesMax: .max, solutionsMax: 1, random: order)
    search.run(grid)
    return search.found.first ?? grid
  }

  /// Takes away clues while one solution is left, and gives back as few as the grade asks for.
  private mutating func thinned(_ solution: Grid, to grade: Grade) -> Grid? {
    var clues = solution
    var taken: [Int] = []
    for cell in (0..<81).shuffled(using: &random) {
      clues[cell] = 0
      // Any other solution has another digit there.
      var search = Search(branchesMax: .max, solutionsMax: 1, random: nil)
      search.run(clues, without: Mark(cell, Int(solution[cell])))
      if search.found.isEmpty { taken.append(cell) } else { clues[cell] = solution[cell] }
    }
    let hardest = Puzzle.grade(of: clues, most: grade)
    guard hardest > grade else { return hardest == grade ? clues : nil }
    // With more clues a puzzle gets easier, but for rare exceptions, which the last look catches.
    var (few, many) = (1, taken.count)
    func given(_ count: Int) -> Grid {
      taken.suffix(count).reduce(into: clues) { $0[$1] = solution[$1] }
    }
    while few < many {
      let middle = (few + many) / 2
      if Puzzle.grade(of: given(middle), most: grade) <= grade {
        many = middle
      } else {
        few = middle + 1
      }
    }
    // One clue less is too hard. Where the next one leaps over the grade, another may not.
    let harder = given(many - 1)
    for cell in taken.dropLast(many - 1).reversed().prefix(Self.triesMost) {
      var result = harder
      result[cell] = solution[cell]
      if Puzzle.grade(of: result, most: grade) == grade { return result }
    }
    return nil
  }
}
