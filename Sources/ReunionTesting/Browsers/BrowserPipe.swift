/// What runs the browsers of a world: it takes an event, a line of JSON, and gives the line of its
/// answer once all that follows from it at this moment has happened (`Tests/World/README.md`).
package protocol BrowserPipe: Sendable {
  /// Throws where the browsers have ended.
  func tell(_ line: String) throws -> String
}

/// Why the browsers of a world cannot go on, or what went wrong in a page.
struct BrowserFault: Error, CustomStringConvertible {
  let description: String
}
