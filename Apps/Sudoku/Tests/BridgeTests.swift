import Testing

@testable import SudokuCore

/// What a page asks of the module: bytes in, bytes out.
@Suite struct BridgeTests {
  private static let text =
    "35.6.....4.1.5...6...7....4......69...3...8...6.843.2..8..2....6...7.2.11....9..."

  @Test(arguments: Grade.allCases)
  func `makes a puzzle of a grade, with its solution`(_ grade: Grade) throws {
    let bytes = try Bridge.call(.make, [UInt8(grade.rawValue), 0, 0, 0, 0, 0, 0, 1, 2])
    var generator = Generator(seed: 258)
    let puzzle = generator.next(grade)
    #expect(bytes == puzzle.clues.cells + puzzle.solution.cells + [UInt8(grade.rawValue)])
  }

  @Test func `reads a text, a drawn grid and a link alike`() throws {
    let grid = try Grid(text: Self.text)
    let puzzle = try Puzzle(grid)
    for text in [Self.text, grid.drawn, grid.link] {
      let bytes = try Bridge.call(.read, Array(text.utf8))
      #expect(bytes == grid.cells + puzzle.solution.cells + [UInt8(puzzle.grade.rawValue)])
    }
    // Digits alone are a text where there are 81 of them, and no link.
    let full = puzzle.solution
    #expect(try Bridge.call(.read, Array(full.text.utf8)).prefix(81) == full.cells[...])
  }

  @Test func `a hint has its kind, its marks, its houses and its sentence`() throws {
    let puzzle = try Puzzle(Grid(text: Self.text))
    func hint(_ entered: Grid, _ struck: [UInt8] = []) throws -> [UInt8] {
      try Bridge.call(.hint, puzzle.clues.cells + entered.cells + struck)
    }
    guard case .step(let step) = try Hint(puzzle: puzzle.clues, entered: puzzle.clues) else {
      Issue.record("The first hint is no step")
      return
    }
    let placed = try #require(step.placed)
    let bytes = try hint(puzzle.clues)
    #expect(bytes.prefix(4) == [2, 1, UInt8(placed.cell), UInt8(placed.digit)])
    #expect(String(decoding: bytes, as: UTF8.self).hasSuffix(step.description))
    var wrong = puzzle.clues
    let cell = try #require(wrong.cells.firstIndex(of: 0))
    wrong[cell] = puzzle.solution[cell] % 9 + 1
    #expect(try hint(wrong).prefix(4) == [1, 1, UInt8(cell), 0])
    #expect(try hint(puzzle.solution).prefix(5) == [0, 0, 0, 0, 0])
    // A struck candidate is heard of; one that is no candidate, or out of range, changes nothing.
    #expect(try hint(puzzle.clues, [255, 9, 0, 200]) == bytes)
  }

  @Test func `input of any bytes gives an error and no trap`() {
    var random = SplitMix(seed: 7)
    for function in [Bridge.Function.make, .read, .hint] {
      for length in [0, 1, 8, 9, 10, 80, 81, 82, 161, 162, 163, 164, 400] {
        for _ in 0..<20 {
          let top: UInt64 = function == .hint ? 12 : 256
          let bytes = (0..<length).map { _ in UInt8(random.next() % top) }
          // A seed of one of the grades makes a puzzle.
          if function == .make, length == 9 { continue }
          #expect(throws: GridError.self) { try Bridge.call(function, bytes) }
        }
      }
    }
  }
}
