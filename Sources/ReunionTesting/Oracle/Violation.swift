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

/// A history ended in what no replica can know: a machine was put back, nobody that it met knew the
/// lost time by a position, and what it wrote has numbers that name something else elsewhere. Only
/// an audit of all records would show it (docs/guarantees.md).
package struct UnseenPast: Error, Hashable, Sendable, CustomStringConvertible {
  /// The promise that this keeps from being kept.
  package let violation: Violation

  package var description: String { "a past that nobody can know: \(violation)" }
}
