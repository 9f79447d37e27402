/// A broken promise, with its number in `docs/guarantees.md`.
///
/// An action of your own may throw one, too, with the number 0. It ends the history even while the
/// disk fails.
public struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number of the guarantee; 0 for the app's own promise.
  public let guarantee: Int
  /// A sentence that says who broke it, and how.
  public let detail: String

  /// Makes a violation.
  public init(_ guarantee: Int, _ detail: String) {
    self.guarantee = guarantee
    self.detail = detail
  }

  /// The number and the sentence.
  public var description: String {
    guarantee == 0
      ? "the app's promise is broken: \(detail)"
      : "guarantee \(guarantee) is broken: \(detail)"
  }
}
