/// One run of a producer: lets events through until it is over.
final class ProducerRun<Value: Sendable>: Sendable {
  typealias Event = SignalProducer<Value>.Event

  private struct State {
    var observer: (@Sendable (Event) -> Void)?
    var work: SignalSubscription?
  }

  private let state: Lock<State>

  init(_ observer: @escaping @Sendable (Event) -> Void) {
    state = Lock(State(observer: observer))
  }

  /// Keeps the work alive, unless it is over already.
  func hold(_ work: SignalSubscription) {
    let isOver = state.withLock { state in
      if state.observer != nil { state.work = work }
      return state.observer == nil
    }
    if isOver { work.cancel() }
  }

  func send(_ event: Event) {
    guard case .value = event else { return end(with: event) }
    state.withLock { $0 }.observer?(event)
  }

  /// Ends the work, without an event.
  func end() { end(with: nil) }

  private func end(with event: Event?) {
    var ended = State()
    state.withLock { swap(&$0, &ended) }
    if let event { ended.observer?(event) }
    ended.work?.cancel()
  }
}
