import Testing

@testable import SudokuCore

@Suite struct GridTextTests {
  private static let text =
    "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4.."

  @Test func `reads one puzzle however it is written`() throws {
    let grid = try Grid(text: Self.text)
    #expect(grid.text == Self.text && grid.clueCount == 21)
    let ways = [
      Self.text.replacing(".", with: "0"), Self.text.replacing(".", with: "_"),
      Self.text.replacing(".", with: "*"), Self.text.replacing(".", with: "-"),
      Self.text.map(String.init).joined(separator: " "), "\u{FEFF}" + Self.text + "\r\n",
      grid.drawn, grid.drawn.replacing("|", with: "│").replacing("-", with: "─"),
      "+-------+-------+-------+\n"
        + grid.drawn.split(separator: "\n").map { "| \($0) |" }.joined(separator: "\n"),
    ]
    for way in ways { #expect(try Grid(text: way) == grid, "\(way)") }
  }

  @Test(arguments: [
    ("", "This has 0 cells, and a Sudoku has 81. Write a dot for each empty cell."),
    (
      String(text.dropLast()),
      "This has 80 cells, and a Sudoku has 81. Write a dot for each empty cell."
    ),
    (text + ".", "This has 82 cells, and a Sudoku has 81. Write a dot for each empty cell."),
    (
      "8..\n.x", "“x” in line 2, place 2, is no cell. Write 1 to 9, and a dot for an empty cell."
    ),
    ("٣", "“٣” in line 1, place 1, is no cell. Write 1 to 9, and a dot for an empty cell."),
    (
      "8\u{202E}",
      "The character U+202e in line 1, place 2, is no cell. "
        + "Write 1 to 9, and a dot for an empty cell."
    ),
  ])
  func `says what is wrong with a text`(_ text: String, _ sentence: String) {
    #expect {
      try Grid(text: text)
    } throws: { ($0 as? GridError)?.description == sentence }
  }

  @Test func `refuses a text that is far too long without reading it whole`() {
    #expect {
      try Grid(text: String(repeating: " ", count: 10_001))
    } throws: { ($0 as? GridError)?.code == .length }
  }

  @Test func `carries every grid in a link, and refuses one that was cut`() throws {
    var random = SplitMix(seed: 1)
    for _ in 0..<500 {
      let share = Int.random(in: 0...10, using: &random)
      let grid = try #require(
        Grid(
          (0..<81).map { _ in
            Int.random(in: 0..<10, using: &random) < share
              ? UInt8.random(in: 1...9, using: &random) : 0
          }))
      let link = grid.link
      #expect(try Grid(link: link) == grid)
      #expect(link.utf8.allSatisfy { (49...57).contains($0) || (97...122).contains($0) })
      #expect(throws: GridError.self) { try Grid(link: String(link.dropLast())) }
      #expect(throws: GridError.self) { try Grid(link: link + "1") }
    }
    #expect(try Grid(text: Self.text).link.count < 50)
    #expect(throws: GridError.self) { try Grid(link: "8..") }
    #expect(throws: GridError.self) { try Grid(link: String(repeating: "z", count: 1_000_000)) }
  }

  @Test func `holds nothing but digits`() {
    #expect(Grid([UInt8](repeating: 10, count: 81)) == nil && Grid([1]) == nil)
    var grid = Grid.empty
    grid[4] = 200
    #expect(grid == .empty)
  }
}

extension Grid {
  /// The grid drawn in eleven lines.
  var drawn: String {
    var lines: [String] = []
    for row in 0..<9 {
      if row == 3 || row == 6 { lines.append("------+-------+------") }
      var line = ""
      for column in 0..<9 {
        if column > 0 { line += column % 3 == 0 ? " | " : " " }
        line += cells[row * 9 + column] == 0 ? "." : "\(cells[row * 9 + column])"
      }
      lines.append(line)
    }
    return lines.joined(separator: "\n")
  }
}
