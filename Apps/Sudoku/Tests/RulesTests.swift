import SudokuCore
import Testing

@testable import SudokuGrab

@Suite struct RulesTests {
  private static let puzzle: Grid = {
    var generator = Generator(seed: 8)
    return generator.next(.medium).clues
  }()

  /// What a net says that is sure of a grid.
  private static func likelihoods(_ grid: Grid) -> [[Float]] {
    grid.cells.map { value in (0..<10).map { $0 == Int(value) ? -0.001 : -9 } }
  }

  private static func reading(_ likelihoods: [[Float]]) -> Reading {
    Reading(likelihoods, corners: [], gridScore: 1)
  }

  @Test func `shows what is plain as sure`() {
    let reading = Self.reading(Self.likelihoods(Self.puzzle))
    #expect(reading.isSure && reading.grid == Self.puzzle && reading.confidence > 0.99)
  }

  @Test func `mends a digit that clashes, and asks where that was dear`() throws {
    let first = try #require(Self.puzzle.cells.firstIndex { $0 != 0 })
    let value = Int(Self.puzzle[first])
    let other = try #require(
      Self.puzzle.cells[0..<81].first { $0 != 0 && Int($0) != value })
    for (cost, isSure) in [(Float(0.5), true), (5, false)] {
      // In the first clue's place the net prefers another digit.
      var said = Self.likelihoods(Self.puzzle)
      var wrong = Self.puzzle
      let clashing = (1...9).first { digit in
        wrong[first] = UInt8(digit)
        return wrong.clash != nil
      }
      let digit = clashing ?? Int(other)
      said[first][digit] = -0.001
      said[first][value] = -cost
      let reading = Self.reading(said)
      #expect(reading.grid == Self.puzzle && reading.isPuzzle)
      #expect(reading.isSure == isSure)
      #expect(reading.doubts == (isSure ? [] : [first]))
    }
  }

  @Test func `asks about a cell that might as well be another`() throws {
    let cell = try #require(Self.puzzle.cells.firstIndex { $0 != 0 })
    var said = Self.likelihoods(Self.puzzle)
    said[cell] = said[cell].map { $0 > -1 ? -0.6 : $0 }
    said[cell][Int(Self.puzzle[cell]) % 9 + 1] = -0.8
    let reading = Self.reading(said)
    #expect(reading.grid == Self.puzzle && reading.doubts == [cell] && !reading.isSure)
  }

  @Test func `accepts nothing that no change makes a puzzle`() {
    for grid in [Grid.empty, Grid([UInt8](repeating: 5, count: 81)) ?? .empty] {
      let reading = Self.reading(Self.likelihoods(grid))
      #expect(!reading.isPuzzle && !reading.isSure && reading.grid == grid)
    }
    // A solved one is no puzzle either.
    if let solution = try? Self.puzzle.solution() {
      #expect(!Self.reading(Self.likelihoods(solution)).isPuzzle)
    }
  }
}

@Suite struct PNMTests {
  private static let pixels = [UInt8](repeating: 200, count: 32 * 40 * 3)

  @Test func `reads grey and coloured pictures, with a note in the head`() throws {
    let grey = Array("P5\n# a note\n32 40\n255\n".utf8) + Self.pixels.prefix(32 * 40)
    #expect(try Photograph(pnm: grey).grey.width == 32)
    let coloured = try Photograph(pnm: Array("P6 32 40 255 ".utf8) + Self.pixels)
    #expect(coloured.green.height == 40 && abs(coloured.grey.values[7] - 200) < 0.01)
  }

  @Test(arguments: [
    "", "P", "P4 32 40 255 ", "P5", "P5 x", "P5 32 40 65535 ", "P5 8 8 255 ",
    "P5 999999999 999999999 255 ", "P5 99999999999999999999 1 255 ", "P6 32 41 255 ", "P5 # no end",
  ])
  func `says what is wrong with others`(_ head: String) {
    #expect {
      try Photograph(pnm: Array(head.utf8) + Self.pixels)
    } throws: { "\($0)".hasSuffix(".") }
  }
}
