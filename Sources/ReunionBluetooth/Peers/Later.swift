import ReunionFlow

/// Runs work on the strand of a `Bluetooth`, as long as that lives.
struct Later: Sendable {
  private let body: @Sendable (@escaping @Sendable (Switchboard) -> Void) -> Bool
  private let end: Ending?

  /// Has nothing that could run any.
  init() { (body, end) = ({ _ in false }, nil) }

  /// Keeps nothing alive.
  init(_ strand: Strand<Switchboard>, _ end: Ending) {
    self.end = end
    body = { [weak strand] work in
      guard let strand else { return false }
      strand.run(work)
      return true
    }
  }

  /// Runs work there; where all of it was released it never runs.
  func callAsFunction(_ work: @escaping @Sendable (Switchboard) -> Void) { _ = body(work) }

  /// Runs work there, or something else once all of it was released and is over.
  func callAsFunction(
    _ work: @escaping @Sendable (Switchboard) -> Void, otherwise: @escaping @Sendable () -> Void
  ) {
    if !body(work) { end?.whenOver(otherwise) }
  }
}

/// The end of a `Bluetooth`: whoever comes while it is being released hears of it when that is done.
final class Ending: Sendable {
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
