/// Why a text or a link is no Sudoku, in a sentence that names the remedy.
public struct GridError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong; more may be added.
  public struct Code: Hashable, Sendable {
    let name: String
    /// Not 81 cells.
    public static let count = Code(name: "count")
    /// A character that no Sudoku has.
    public static let character = Code(name: "character")
    /// Far longer than a Sudoku.
    public static let length = Code(name: "length")
    /// A digit twice in a house.
    public static let clash = Code(name: "clash")
    /// No solution.
    public static let unsolvable = Code(name: "unsolvable")
    /// More than one solution.
    public static let ambiguous = Code(name: "ambiguous")
    /// The search was given up: too few digits, or none that fit.
    public static let tooFar = Code(name: "tooFar")
  }

  /// What is wrong.
  public let code: Code
  /// The sentence.
  public let description: String

  /// The sentence in UTF-8, for a page.
  var utf8: [UInt8] { Array(description.utf8) }
}
