import ReunionMedia

/// What the terminal shows when the book is open.
struct Banner {
  let guests: String
  let here: String
  let owner: String?
  /// What this machine lacks to close in the process that decodes pictures, as a sentence.
  let shortfall: String?

  /// Its lines, with the QR code in colour where a person looks at it.
  func lines(isTerminal: Bool) throws -> [String] {
    let code = try QRCode.matrix(of: guests, errorCorrection: .low)
    var lines = [
      "  Sudoku", "", code.terminal(isTerminal ? .colored : .plainOnLight), "",
      "Guests: \(guests)", "Here: \(here)",
    ]
    if let owner {
      lines += ["Owner: \(owner)", "  (for a day; reunion owner-link makes another)"]
    }
    if let shortfall { lines += ["", shortfall] }
    return lines
  }
}
