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
public struct Step: Hashable, Sendable, CustomStringConvertible {
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
  /// What it says of them, without the technique's name.
  var reason = ""

  /// One or two sentences: the technique, what shows it, and what follows.
  public var description: String {
    "\(technique.name): \(reason)"
  }
}

/// How cells, digits and houses are said.
enum Words {
  static func cell(_ cell: Int) -> String { "row \(cell / 9 + 1), column \(cell % 9 + 1)" }

  static func list(_ parts: [String]) -> String {
    guard parts.count > 1, let last = parts.last else { return parts.first ?? "" }
    return parts.dropLast().joined(separator: ", ") + " and " + last
  }

  static func digits(_ mask: UInt16) -> String { list(Board.digits(mask).map(String.init)) }

  static func cells(_ cells: [Int]) -> String {
    list(Set(cells).sorted().map { "R\($0 / 9 + 1)C\($0 % 9 + 1)" })
  }

  /// "so R1C2 and R1C3 lose 4."
  static func loss(_ marks: [Mark]) -> String {
    let byDigit = Dictionary(grouping: marks) { $0.digit }.sorted { $0.key < $1.key }
    let parts = byDigit.map { digit, marks in "\(digit) goes from \(cells(marks.map { $0.cell }))" }
    return "so " + list(parts) + "."
  }
}
