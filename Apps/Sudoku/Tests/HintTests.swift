import Testing

@testable import SudokuCore

@Suite struct HintTests {
  /// Why a step is wrong, useless or does not show what it is, or nil.
  static func fault(of step: Step, on board: Board, _ solution: Grid) -> String? {
    if let placed = step.placed {
      guard Int(solution[placed.cell]) == placed.digit else { return "it places a wrong digit" }
      guard board.grid[placed.cell] == 0 else { return "it fills a full cell" }
    } else if step.removed.isEmpty {
      return "it concludes nothing"
    }
    for mark in step.removed {
      guard Int(solution[mark.cell]) != mark.digit else { return "it removes the solution's digit" }
      guard board.has(mark.digit, mark.cell) else { return "it removes what is not there" }
    }
    guard step.technique == .chain || step.shown.allSatisfy({ board.has($0.digit, $0.cell) }),
      !step.shown.isEmpty
    else { return "it shows what is not there" }
    let said = "\(step)"
    guard said.hasPrefix(step.technique.name + ": "), said.hasSuffix(".") else {
      return "it does not say what it is"
    }
    return nil
  }

  @Test func `each hint is right, and each technique is met`() throws {
    var met: [Technique: Int] = [:]
    var generator = Generator(seed: 99)
    var puzzles = Grade.allCases.flatMap { grade in (0..<40).map { _ in generator.next(grade) } }
    puzzles.append(try Puzzle(Grid(text: SearchTests.inkala)))
    for puzzle in puzzles {
      var board = Board(puzzle.clues)
      while !board.isSolved {
        let step = try #require(board.nextStep(), "stuck at \(board.grid.text)")
        #expect(Self.fault(of: step, on: board, puzzle.solution) == nil, "\(step)")
        met[step.technique, default: 0] += 1
        board.apply(step)
      }
      #expect(board.grid == puzzle.solution)
    }
    #expect(Set(met.keys) == Set(Technique.allCases), "\(met)")
  }

  @Test func `a wrong hint is seen (negative control)`() throws {
    let grid = try Grid(text: SearchTests.fewest)
    let solution = try grid.solution()
    let board = Board(grid)
    let step = try #require(board.nextStep())
    #expect(Self.fault(of: step, on: board, solution) == nil)
    let placed = try #require(step.placed)
    var wrong = step
    wrong.placed = Mark(placed.cell, placed.digit % 9 + 1)
    #expect(Self.fault(of: wrong, on: board, solution) == "it places a wrong digit")
    wrong = step
    wrong.removed = [placed]
    #expect(Self.fault(of: wrong, on: board, solution) == "it removes the solution's digit")
    wrong = step
    wrong.placed = nil
    #expect(Self.fault(of: wrong, on: board, solution) == "it concludes nothing")
  }

  @Test func `techniques fail on a board that they do not fit (negative control)`() {
    // Without a clue nothing follows from anything, but by a search.
    for technique in Technique.allCases where technique != .trial {
      #expect(Board(.empty).step(by: technique) == nil, "\(technique)")
    }
  }

  @Test func `tells mistakes first, keeps what was struck, and ends`() throws {
    let puzzle = try Grid(text: SearchTests.inkala)
    let solution = try puzzle.solution()
    var entered = puzzle
    entered[1] = solution[1] % 9 + 1
    #expect(try Hint(puzzle: puzzle, entered: entered) == .mistakes([1]))
    #expect(
      try Hint(puzzle: puzzle, entered: entered).description
        == "One cell is not right: R1C2. Empty it first.")
    guard case .step(let first) = try Hint(puzzle: puzzle, entered: puzzle),
      case .step(let second) = try Hint(puzzle: puzzle, entered: puzzle, struck: first.removed)
    else {
      Issue.record("no step")
      return
    }
    #expect(!first.removed.isEmpty && first.removed != second.removed)
    // A candidate that somebody struck wrongly comes back, and one of no cell is passed over.
    let bad = [Mark(1, Int(solution[1])), Mark(-1, 5), Mark(81, 5), Mark(1, 0), Mark(1, 99)]
    #expect(try Hint(puzzle: puzzle, entered: puzzle, struck: bad) == .step(first))
    #expect(try Hint(puzzle: puzzle, entered: solution) == .done)
    #expect(throws: GridError.self) { try Hint(puzzle: .empty, entered: .empty) }
  }

  @Test func `says a hidden single as a person would`() throws {
    let grid = try Grid(text: SearchTests.fewest)
    #expect(
      Board(grid).nextStep()?.description
        == "Hidden single: in box 6, 1 fits only row 5, column 9.")
  }
}
