extension Board {
  /// The first conclusion by the easiest technique that gives one, or nil.
  ///
  /// Of a puzzle with one solution, whose values and candidates so far are right, each step is right.
  /// - Parameter most: The hardest grade whose techniques are used.
  /// - Returns: The step, or nil where these techniques conclude nothing.
  public func nextStep(upTo most: Grade = .expert) -> Step? {
    for technique in Technique.allCases where technique.grade <= most {
      if let step = step(by: technique) { return step }
    }
    return nil
  }

  func step(by technique: Technique) -> Step? {
    switch technique {
    case .hiddenSingle: hiddenSingle()
    case .nakedSingle: nakedSingle()
    case .lockedCandidates: lockedCandidates()
    case .nakedPair: nakedSubset(2, technique)
    case .hiddenPair: hiddenSubset(2, technique)
    case .nakedTriple: nakedSubset(3, technique)
    case .hiddenTriple: hiddenSubset(3, technique)
    case .xWing: fish(2, technique)
    case .swordfish: fish(3, technique)
    case .xyWing: xyWing()
    case .chain: chain()
    case .trial: trial()
    }
  }

  /// Goes on by the techniques of a grade until nothing follows, singles all at once.
  mutating func finish(upTo most: Grade) {
    while settleSingles(), !isSolved, let step = nextStep(upTo: most) { apply(step) }
  }
}

/// What a person is told who asks how to go on.
public enum Hint: Hashable, Sendable, CustomStringConvertible {
  /// These cells are filled wrongly.
  case mistakes([Int])
  /// What follows next.
  case step(Step)
  /// Nothing is left to do.
  case done

  /// The sentence to show.
  public var description: String {
    switch self {
    case .mistakes(let cells):
      "\(cells.count == 1 ? "One cell is" : "\(cells.count) cells are") not right: "
        + "\(Words.cells(cells)). Empty \(cells.count == 1 ? "it" : "them") first."
    case .step(let step): step.description
    case .done: "The Sudoku is solved."
    }
  }
}

extension Hint {
  /// The hint for what a person entered.
  ///
  /// - Parameters:
  ///   - puzzle: The printed clues; they have one solution.
  ///   - entered: The clues, and what was entered so far.
  ///   - struck: Candidates that earlier hints ruled out; one that is the solution's is left alone.
  /// - Throws: A sentence where the puzzle has not exactly one solution.
  public init(puzzle: Grid, entered: Grid, struck: [Mark] = []) throws(GridError) {
    let solution = try puzzle.solution()
    let wrong = (0..<81).filter { entered[$0] != 0 && entered[$0] != solution[$0] }
    guard wrong.isEmpty else {
      self = .mistakes(wrong)
      return
    }
    var known = entered
    for cell in 0..<81 where puzzle[cell] != 0 { known[cell] = puzzle[cell] }
    var board = Board(known)
    for mark in struck where (0..<81).contains(mark.cell) && (1...9).contains(mark.digit) {
      if Int(solution[mark.cell]) != mark.digit { board.remove(mark) }
    }
    self = board.nextStep().map(Hint.step) ?? .done
  }
}
