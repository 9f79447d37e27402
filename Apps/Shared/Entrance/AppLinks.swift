import Foundation
import ReunionMedia

/// The links to an app's server, as its terminal shows them.
public struct AppLinks: Sendable, Hashable {
  /// For guests, who are elsewhere.
  public let guests: String
  /// For guests on this machine.
  public let here: String
  /// For the owner, for a day; nil if none was made.
  public let owner: String?

  /// The lines of most apps: a heading, a QR code of the guests' link, and the links.
  ///
  /// - Throws: `BarcodeError` if the link is too long for a QR code.
  public func lines(_ heading: String) throws -> [String] {
    var lines = [
      "  \(heading)", "", try Self.code(of: guests), "", "Guests: \(guests)", "Here: \(here)",
    ]
    if let owner {
      lines += ["Owner: \(owner)", "  (for a day; reunion owner-link makes another)"]
    }
    return lines
  }

  /// A link's QR code for the terminal, in colour where a person looks at it.
  ///
  /// - Throws: `BarcodeError` if the link is too long for one.
  public static func code(of link: String) throws -> String {
    try QRCode.matrix(of: link, errorCorrection: .low)
      .terminal(isatty(STDOUT_FILENO) == 1 ? .colored : .plainOnLight)
  }
}
