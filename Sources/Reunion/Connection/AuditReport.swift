/// What an audit found.
///
/// ```swift
/// func sentence(_ report: AuditReport) -> String {
///   report.differingCount == 0 ? "Nothing differed." : "\(report.differingCount) records differed."
/// }
/// ```
public struct AuditReport: Hashable, Sendable {
  /// How many records differed at the two sides.
  public var differingCount: Int
  /// How many of them still do: 0, unless one side does not take what the other has.
  public var remainingCount: Int

  /// Makes a report.
  public init(differingCount: Int, remainingCount: Int = 0) {
    self.differingCount = differingCount
    self.remainingCount = remainingCount
  }
}

/// Why an audit did not come to its end: a sentence for the person, which names the remedy.
public struct AuditFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The sentence.
  public let sentence: String

  /// The same.
  public var description: String { sentence }
}
