/// What an audit found.
///
/// ```swift
/// func sentence(_ report: AuditReport) -> String {
///   report.differingCount == 0 ? "Nothing differed." : "\(report.differingCount) records differed."
/// }
/// ```
public struct AuditReport: Hashable, Sendable {
  /// How many records differed at the two sides. They are equal now, but for what either may not change at the other.
  public var differingCount: Int

  /// Makes a report.
  public init(differingCount: Int) { self.differingCount = differingCount }
}

/// Why an audit did not come to its end: a sentence for the person, which names the remedy.
public struct AuditFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The sentence.
  public let sentence: String

  /// The same.
  public var description: String { sentence }
}
