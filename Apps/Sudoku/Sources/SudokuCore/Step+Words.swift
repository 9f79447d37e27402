extension Step: CustomStringConvertible {
  /// One or two sentences: the technique, what shows it, and what follows.
  public var description: String { "\(technique.name): \(reason)" }

  /// What it says, without the technique's name.
  private var reason: String {
    let cells = shown.map { $0.cell }
    switch technique {
    case .hiddenSingle:
      return "in \(houses[0]), \(placed?.digit ?? 0) fits only \(Words.cell(placed?.cell ?? 0))."
    case .nakedSingle:
      return "\(Words.cell(placed?.cell ?? 0)) can only be \(placed?.digit ?? 0)."
    case .lockedCandidates:
      return "in \(houses[0]), \(shown[0].digit) fits only where \(houses[1]) crosses it, \(loss)"
    case .nakedPair, .nakedTriple:
      return "in \(houses[0]), \(Words.cells(cells)) hold \(digits) among them, \(loss)"
    case .hiddenPair, .hiddenTriple:
      return "in \(houses[0]), \(digits) fit only \(Words.cells(cells)), \(loss)"
    case .xWing, .swordfish:
      let names = houses.map { $0.description }
      return "in \(Words.list(Array(names.prefix(names.count / 2)))), \(shown[0].digit) fits only "
        + "\(Words.list(Array(names.suffix(names.count / 2)))), \(loss)"
    case .xyWing:
      let pivot = cells[0]
      return "whichever of its two digits \(Words.cells([pivot])) is, one of "
        + "\(Words.cells(cells.filter { $0 != pivot })) is \(removed[0].digit), \(loss)"
    case .chain:
      let forced = shown.dropFirst().map { "\(Words.cells([$0.cell])) is \($0.digit)" }
      return "if \(Words.cells([cells[0]])) were \(shown[0].digit), "
        + (forced.isEmpty ? "" : "then " + Words.list(forced) + ", and ")
        + "a cell or a digit would have no place left, \(loss)"
    case .trial:
      return "trying \(removed[0].digit) in \(Words.cells(cells)) ends, after many branches, "
        + "without a solution, \(loss)"
    }
  }

  private var digits: String {
    Words.list(Set(shown.map { $0.digit }).sorted().map(String.init))
  }

  /// "so 4 goes from R1C2 and R1C3."
  private var loss: String {
    let byDigit = Dictionary(grouping: removed) { $0.digit }.sorted { $0.key < $1.key }
    let parts = byDigit.map { digit, marks in
      "\(digit) goes from \(Words.cells(marks.map { $0.cell }))"
    }
    return "so " + Words.list(parts) + "."
  }
}

/// How cells and lists are said.
enum Words {
  static func cell(_ cell: Int) -> String { "row \(cell / 9 + 1), column \(cell % 9 + 1)" }

  static func list(_ parts: [String]) -> String {
    guard parts.count > 1, let last = parts.last else { return parts.first ?? "" }
    return parts.dropLast().joined(separator: ", ") + " and " + last
  }

  static func cells(_ cells: [Int]) -> String {
    list(Set(cells).sorted().map { "R\($0 / 9 + 1)C\($0 % 9 + 1)" })
  }
}
