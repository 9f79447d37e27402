import Testing

@testable import SudokuCore

@Suite struct SearchTests {
  /// A grid of 17 clues, the fewest that a Sudoku with one solution can have (McGuire, 2012).
  static let fewest =
    "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
  /// Inkala's of 2010, which newspapers called the hardest.
  static let inkala =
    "800000000003600000070090200050007000000045700000100030001000068008500010090000400"

  @Test(arguments: [
    (fewest, "693784512487512936125963874932651487568247391741398625319475268856129743274836159"),
    (inkala, "812753649943682175675491283154237896369845721287169534521974368438526917796318452"),
  ])
  func `solves well-known grids, and proves that nothing else does`(_ text: String, _ known: String)
    throws
  {
    let grid = try Grid(text: text)
    #expect(grid.verdict() == .one(try Grid(text: known)))
    #expect(PlainSolver.solutions(of: grid.cells.map(Int.init), limit: 2).count == 1)
  }

  @Test func `finds two solutions as soon as a grid of 17 clues loses one`() throws {
    let grid = try Grid(text: Self.fewest)
    for cell in 0..<81 where grid[cell] != 0 {
      var less = grid
      less[cell] = 0
      guard case .several(let a, let b) = less.verdict() else {
        Issue.record("16 clues with one solution: \(less.text)")
        continue
      }
      for solution in [a, b] {
        #expect(solution.isFull && solution.clash == nil && less.isPart(of: solution))
      }
      #expect(a != b)
    }
  }

  @Test func `agrees with a plain solver on grids of every kind`() {
    var random = SplitMix(seed: 7)
    var seen: [Int: Int] = [:]
    for _ in 0..<300 {
      var generator = Generator(seed: random.next())
      var grid = generator.next(.easy).clues
      // Some clues less, or one changed: no solution, one, or several.
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        grid[Int.random(in: 0..<81, using: &random)] = UInt8.random(in: 0...9, using: &random)
      }
      let plain = PlainSolver.solutions(of: grid.cells.map(Int.init), limit: 2)
      // A plain solver does not look whether clues clash.
      let expected = grid.clash == nil ? plain.count : 0
      let found =
        switch grid.verdict() {
        case .none: 0
        case .one: 1
        case .several: 2
        case .unknown: -1
        }
      #expect(found == expected, "\(grid.text)")
      seen[found, default: 0] += 1
    }
    #expect(seen.keys.sorted() == [0, 1, 2], "\(seen)")
  }

  @Test func `says why a grid has not one solution`() throws {
    func reason(_ grid: Grid) -> GridError.Code? {
      do {
        _ = try grid.solution()
        return nil
      } catch { return error.code }
    }
    #expect(reason(.empty) == .ambiguous)
    var grid = try Grid(text: Self.inkala)
    #expect(reason(grid) == nil)
    grid[1] = 8
    #expect(reason(grid) == .clash)
    #expect(grid.clash?.description == "Two 8s stand in row 1. Change one of them.")
    grid[1] = 2
    #expect(reason(grid) == .unsolvable)
    #expect(Grid.empty.verdict(branchesMax: 3) == .unknown)
  }

  @Test func `ends on a grid that looks harmless and has no solution`() throws {
    // Row 1 has 1 to 8 to the left of a cell whose column has 9.
    let grid = try Grid(text: "12345678." + String(repeating: ".", count: 71) + "9")
    #expect(grid.verdict() == .none)
  }
}
