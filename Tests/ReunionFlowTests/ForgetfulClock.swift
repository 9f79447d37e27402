import ReunionFlow

/// A test clock whose actions cannot be called off: every one of them comes, however late.
final class ForgetfulClock: FlowClock {
  private final class Deaf: Cancellable {
    func cancel() {}
  }

  let base = TestClock()

  var now: Moment { base.now }
  var wallMilliseconds: UInt64 { base.wallMilliseconds }

  func schedule(
    at moment: Moment, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    _ = base.schedule(at: moment, action)
    return Deaf()
  }
}
