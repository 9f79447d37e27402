import ReunionMedia

/// What the terminal shows when the family can come.
struct Banner {
  let guests: String
  let here: String
  let owner: String?

  /// Its lines, with the QR code in colour where a person looks at it.
  func lines(isTerminal: Bool) throws -> [String] {
    let code = try QRCode.matrix(of: owner ?? guests, errorCorrection: .low)
    var lines = ["  Screen time", "", code.terminal(isTerminal ? .colored : .plainOnLight), ""]
    if let owner {
      lines += [
        "Owner: \(owner)", "  (for parents, for a day; reunion owner-link makes another)",
      ]
    }
    return lines + [
      "Guests: \(guests)", "  (see everybody, and change nothing)", "Here: \(here)",
    ]
  }
}
