/// Says when it is time to warn: once at five minutes, once at none; after a grant, and when somebody comes
/// back to what is at its end, again.
public struct Warner: Sendable {
  /// What is left.
  public enum Warning: Sendable, Equatable { case fiveMinutes, none }

  private var said: [Verdict.Reason: Warning] = [:]

  /// Nothing was said yet.
  public init() {}

  /// What to say now, if anything, to who is there.
  public mutating func take(_ verdict: Verdict, isPresent: Bool) -> Warning? {
    guard isPresent else {
      said = said.filter { $0.value == .fiveMinutes }
      return nil
    }
    guard let left = verdict.left, let reason = verdict.reason else { return nil }
    let due: Warning? = left <= 0 ? Warning.none : left <= 300_000 ? .fiveMinutes : nil
    let before = said.updateValue(due ?? .fiveMinutes, forKey: reason)
    guard let due else {
      said[reason] = nil
      return nil
    }
    // Where a grant made a little of nothing, they know how little it is.
    return before == due || before == Warning.none ? nil : due
  }
}
