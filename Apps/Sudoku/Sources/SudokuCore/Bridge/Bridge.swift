/// What a page asks of this module, as bytes in and bytes out: the same code in the program, its tests
/// and the browser.
enum Bridge {
  enum Function: UInt8 {
    /// A grade, 1 to 4, and a seed of 8 bytes: a puzzle.
    case make = 1
    /// A text or a link in UTF-8: a puzzle.
    case read = 2
    /// 81 clues, 81 values, and a cell and a digit for each candidate that is struck: a hint.
    case hint = 3
  }

  static func call(_ function: Function, _ input: [UInt8]) throws(GridError) -> [UInt8] {
    switch function {
    case .make: try make(input)
    case .read: puzzle(try Puzzle(grid(input)))
    case .hint: try hint(input)
    }
  }

  private static let malformed = GridError(
    code: .count, description: "The page asked for something that this version cannot do.")

  private static func make(_ input: [UInt8]) throws(GridError) -> [UInt8] {
    guard input.count == 9, let grade = Grade(rawValue: Int(input[0])) else { throw malformed }
    let seed = input.dropFirst().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    var generator = Generator(seed: seed)
    return puzzle(generator.next(grade))
  }

  /// A text of 81 cells, a drawn grid, or what stands in a link.
  private static func grid(_ input: [UInt8]) throws(GridError) -> Grid {
    let text = String(decoding: input, as: UTF8.self)
    let isLink =
      !input.isEmpty && input.allSatisfy { (49...57).contains($0) || (97...122).contains($0) }
    return isLink && input.count < 81 ? try Grid(link: text) : try Grid(text: text)
  }

  /// 81 clues, 81 values of the solution, and the grade.
  private static func puzzle(_ puzzle: Puzzle) -> [UInt8] {
    puzzle.clues.cells + puzzle.solution.cells + [UInt8(puzzle.grade.rawValue)]
  }

  /// What kind of hint it is, four lists with their lengths before them, and the sentence: the cells that
  /// are wrong or the one to fill, with digits; the candidates to strike; those that show why; the houses.
  private static func hint(_ input: [UInt8]) throws(GridError) -> [UInt8] {
    guard input.count >= 162, input.count % 2 == 0, let clues = Grid(Array(input[..<81])),
      let entered = Grid(Array(input[81..<162]))
    else { throw malformed }
    let struck = stride(from: 162, to: input.count, by: 2).map {
      Mark(Int(input[$0]), Int(input[$0 + 1]))
    }
    let hint = try Hint(puzzle: clues, entered: entered, struck: struck)
    var out: [UInt8]
    switch hint {
    case .done: out = [0, 0, 0, 0, 0]
    case .mistakes(let cells): out = [1] + list(cells.map { Mark($0, 0) }) + [0, 0, 0]
    case .step(let step):
      out = [2] + list(step.placed.map { [$0] } ?? []) + list(step.removed) + list(step.shown)
      out.append(UInt8(step.houses.count))
      out += step.houses.map { UInt8($0.index) }
    }
    return out + Array(hint.description.utf8)
  }

  private static func list(_ marks: [Mark]) -> [UInt8] {
    [UInt8(truncatingIfNeeded: marks.count)]
      + marks.flatMap { [UInt8($0.cell), UInt8($0.digit)] }
  }
}
