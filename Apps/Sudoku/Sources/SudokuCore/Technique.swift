/// How hard a puzzle is, by the hardest technique that a person needs for it.
public enum Grade: Int, CaseIterable, Comparable, Sendable {
  /// Singles alone.
  case easy = 1
  /// Locked candidates and pairs too.
  case medium
  /// Triples, X-wings, swordfish and XY-wings too.
  case hard
  /// Chains, and what only trying settles.
  case expert

  /// The easier comes first.
  public static func < (a: Grade, b: Grade) -> Bool { a.rawValue < b.rawValue }
}

/// A way to conclude something, in the order in which a person tries them.
public enum Technique: Int, CaseIterable, Sendable {
  /// A digit that fits one cell of a house.
  case hiddenSingle
  /// A cell that one digit fits.
  case nakedSingle
  /// A digit whose cells in one house all lie in another.
  case lockedCandidates
  /// Two cells of a house with the same two candidates.
  case nakedPair
  /// Two digits that fit the same two cells of a house.
  case hiddenPair
  /// Three cells of a house that share three candidates.
  case nakedTriple
  /// Three digits that share three cells of a house.
  case hiddenTriple
  /// A digit that fits the same two columns of two rows, or the other way round.
  case xWing
  /// The same with three rows and three columns.
  case swordfish
  /// A cell of two candidates, and two that each share one with it.
  case xyWing
  /// A candidate that leads, by singles alone, to a contradiction.
  case chain
  /// A candidate that only a search through many branches refutes.
  case trial

  /// The grade of puzzles that need it.
  public var grade: Grade {
    switch self {
    case .hiddenSingle, .nakedSingle: .easy
    case .lockedCandidates, .nakedPair, .hiddenPair: .medium
    case .nakedTriple, .hiddenTriple, .xWing, .swordfish, .xyWing: .hard
    case .chain, .trial: .expert
    }
  }

  /// Its usual name in English.
  public var name: String {
    switch self {
    case .hiddenSingle: "Hidden single"
    case .nakedSingle: "Naked single"
    case .lockedCandidates: "Locked candidates"
    case .nakedPair: "Naked pair"
    case .hiddenPair: "Hidden pair"
    case .nakedTriple: "Naked triple"
    case .hiddenTriple: "Hidden triple"
    case .xWing: "X-wing"
    case .swordfish: "Swordfish"
    case .xyWing: "XY-wing"
    case .chain: "Chain"
    case .trial: "Trial"
    }
  }
}
