import Testing

@testable import SudokuCore

@Suite struct GeneratorTests {
  /// Why a puzzle is not what it says, or nil.
  static func fault(of puzzle: Puzzle) -> String? {
    let plain = PlainSolver.solutions(of: puzzle.clues.cells.map(Int.init), limit: 2)
    guard plain.count == 1 else { return "it has \(plain.count) solutions" }
    guard plain[0] == puzzle.solution.cells.map(Int.init) else { return "its solution is another" }
    var board = Board(puzzle.clues)
    board.solve(upTo: puzzle.grade)
    guard board.grid == puzzle.solution else { return "its grade's techniques do not finish" }
    guard let below = Grade(rawValue: puzzle.grade.rawValue - 1) else { return nil }
    board = Board(puzzle.clues)
    board.solve(upTo: below)
    return board.isSolved ? "the grade below finishes too" : nil
  }

  @Test(arguments: Grade.allCases)
  func `makes puzzles with one solution, as hard as they say`(_ grade: Grade) {
    var generator = Generator(seed: 17)
    var all: Set<Grid> = []
    for _ in 0..<40 {
      let puzzle = generator.next(grade)
      #expect(puzzle.grade == grade)
      #expect(Self.fault(of: puzzle) == nil, "\(puzzle.clues.text)")
      all.insert(puzzle.clues)
    }
    #expect(all.count == 40)
  }

  @Test func `a puzzle that is not what it says is seen (negative control)`() throws {
    var generator = Generator(seed: 3)
    let puzzle = generator.next(.medium)
    for wrong in [Grade.easy, .hard, .expert] {
      let lie = Puzzle(clues: puzzle.clues, solution: puzzle.solution, grade: wrong)
      #expect(Self.fault(of: lie) != nil)
    }
    var clues = puzzle.clues
    for cell in 0..<30 { clues[cell] = 0 }
    let open = Puzzle(clues: clues, solution: puzzle.solution, grade: .medium)
    #expect(Self.fault(of: open) == "it has 2 solutions")
    let other = generator.next(.medium)
    let swapped = Puzzle(clues: puzzle.clues, solution: other.solution, grade: .medium)
    #expect(Self.fault(of: swapped) == "its solution is another")
  }

  @Test func `makes the same puzzles of the same seed`() {
    var (a, b, c) = (Generator(seed: 5), Generator(seed: 5), Generator(seed: 6))
    let first = Grade.allCases.map { a.next($0) }
    #expect(first == Grade.allCases.map { b.next($0) })
    #expect(first != Grade.allCases.map { c.next($0) })
  }

  @Test func `grades a grid of others, and refuses what has not one solution`() throws {
    #expect(try Puzzle(Grid(text: SearchTests.inkala)).grade == .expert)
    #expect(throws: GridError.self) { try Puzzle(.empty) }
  }
}

extension Board {
  /// Goes on by the techniques of a grade until nothing follows, step by step as a person does.
  fileprivate mutating func solve(upTo most: Grade) {
    while !isSolved, let step = nextStep(upTo: most) { apply(step) }
  }
}
