import ReunionMedia

/// What the terminal shows when the table is open.
struct Banner {
  let guests: String
  let here: String
  let owner: String?
  let lists: [String]

  /// Its lines, with the QR code in colour where a person looks at it.
  func lines(isTerminal: Bool) throws -> [String] {
    let code = try QRCode.matrix(of: guests, errorCorrection: .low)
    var lines = [
      "  Words", "", code.terminal(isTerminal ? .colored : .plainOnLight), "",
      "Guests: \(guests)", "Here: \(here)",
    ]
    if let owner {
      lines += ["Owner: \(owner)", "  (for a day; reunion owner-link makes another)"]
    }
    return lines + ["Words: \(lists.joined(separator: ", "))"]
  }
}
