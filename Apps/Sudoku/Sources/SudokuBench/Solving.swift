import SudokuCore

/// Grids that are known as hard: one of 17 clues, and three that Sudoku programs are tried on.
private let known = [
  ("17 clues", "000000010400000000020000000000050407008000300001090000300400200050100000000806000"),
  (
    "Inkala 2010",
    "800000000003600000070090200050007000000045700000100030001000068008500010090000400"
  ),
  (
    "Golden Nugget",
    "000000039000001005003050800008090006070002000100400000009080050020000600400700000"
  ),
  (
    "Easter Monster",
    "100000002090400050006000700050903000000070000000850040700000600030009080002000001"
  ),
]

/// Proves known grids and makes new ones.
func benchSolving() throws {
  for (name, text) in known {
    let grid = try Grid(text: text)
    var times = Times()
    for _ in 0..<50 {
      guard case .one = times.add({ grid.verdict() }) else {
        preconditionFailure("\(name) has not one solution")
      }
    }
    print("solve, \(name): \(times.line)")
  }
  let count = 1000
  for grade in Grade.allCases {
    var generator = Generator(seed: 1)
    var (making, solving, clues) = (Times(), Times(), 0)
    for _ in 0..<count {
      let puzzle = making.add { generator.next(grade) }
      _ = solving.add { puzzle.clues.verdict() }
      clues += puzzle.clues.clueCount
    }
    print("make, \(count) \(grade), \(clues / count) clues on average: \(making.line)")
    print("solve, the same: \(solving.line)")
  }
}
