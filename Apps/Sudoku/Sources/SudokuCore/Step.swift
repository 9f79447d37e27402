/// A digit in a cell: a value, or a candidate.
public struct Mark: Hashable, Sendable {
  /// 0 to 80.
  public let cell: Int
  /// 1 to 9.
  public let digit: Int

  /// A digit in a cell.
  public init(_ cell: Int, _ digit: Int) { (self.cell, self.digit) = (cell, digit) }
}

/// One conclusion, and what shows it.
public struct Step: Hashable, Sendable {
  /// The technique that concludes.
  public let technique: Technique
  /// The value that it places, if it places one.
  public var placed: Mark?
  /// The candidates that it rules out.
  public var removed: [Mark] = []
  /// The candidates from which it follows; of a chain, in the order in which they follow.
  public var shown: [Mark] = []
  /// The houses in which it follows.
  public var houses: [House] = []
}
