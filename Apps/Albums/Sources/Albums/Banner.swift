import ReunionMedia

/// What the terminal shows when the album is ready.
struct Banner {
  let name: String
  let photoCount: Int
  let guests: String
  let here: String
  let owner: String?
  let wall: String
  /// What this machine lacks to close in the process that decodes pictures, as a sentence.
  let shortfall: String?

  /// Its lines, with the QR code in colour where a person looks at it.
  func lines(isTerminal: Bool) throws -> [String] {
    let code = try QRCode.matrix(of: guests, errorCorrection: .low)
    let photos = photoCount == 1 ? "1 photo" : "\(photoCount) photos"
    var lines = [
      "  \(name) · \(photos)", "",
      code.terminal(isTerminal ? .colored : .plainOnLight), "",
      "Guests: \(guests)", "Here: \(here)",
    ]
    if let owner {
      lines += ["Owner: \(owner)", "  (for a day; reunion owner-link makes another)"]
    }
    lines.append("Wall: \(wall)")
    if let shortfall { lines += ["", shortfall] }
    return lines
  }
}
