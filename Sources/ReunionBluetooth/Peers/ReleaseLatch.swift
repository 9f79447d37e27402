import ReunionFlow

/// The end of a `Bluetooth`: whoever comes while it is being released hears of it when that is
/// done.
final class ReleaseLatch: Sendable {
  /// The closures that wait for it; nil when it is over.
  private let waiting = Lock<[@Sendable () -> Void]?>([])

  /// Does something when it is over, or at once where it is.
  func whenOver(_ body: @escaping @Sendable () -> Void) {
    let isOver = waiting.withLock { waiting in
      waiting?.append(body)
      return waiting == nil
    }
    if isOver { body() }
  }

  /// It is over.
  func tell() {
    let told = waiting.withLock { $0.take() } ?? []
    for body in told { body() }
  }
}
