/// A caller's closure, until it is cancelled.
final class Observer<Value: Sendable>: Sendable {
  // A struct around the closure: stored bare in a generic type, each access would wrap it once more.
  private struct State {
    var body: (@Sendable (Value) -> Void)?
  }

  private let state: Lock<State>

  init(_ body: @escaping @Sendable (Value) -> Void) { state = Lock(State(body: body)) }

  /// Calls the closure outside the lock.
  func deliver(_ value: Value) { state.withLock { $0 }.body?(value) }

  /// Releases the closure. *Thread*: any.
  func cancel() {
    var released = State()
    state.withLock { swap(&$0, &released) }
  }
}
