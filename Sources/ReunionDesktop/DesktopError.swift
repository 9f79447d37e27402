/// Why something of the desktop could not be done, in a sentence.
public struct DesktopError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The sentence.
  public let description: String

  init(_ description: String) { self.description = description }
}
