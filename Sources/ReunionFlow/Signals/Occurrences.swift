/// Events without a current value, such as errors of a link: never coalesced, never repeated.
///
/// *Thread* and *ordering*: as for `Signal`. The events of one turn are delivered one by one, in
/// order, after all values of that turn were published.
public struct Occurrences<Value: Sendable>: Sendable {
  let node: EventNode<Value>

  init(_ node: EventNode<Value>) { self.node = node }

  /// Calls a closure with each event from now on, until the result is released.
  public func observe(_ body: @escaping @Sendable (Value) -> Void) -> Subscription {
    node.observe(body)
  }

  /// What a pure function makes of each event.
  public func map<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Output
  ) -> Occurrences<Output> {
    Occurrences<Output>(DerivedEventNode.make(from: node) { transform($0) })
  }

  /// The events for which a pure function returns true.
  public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Occurrences {
    Occurrences(DerivedEventNode.make(from: node) { isIncluded($0) ? $0 : nil })
  }

  /// The events from now on, for `for await`; a reader that falls behind keeps the newest ones.
  public func values(bufferMax: Int = 256) -> AsyncStream<Value> {
    AsyncStream(bufferingPolicy: .bufferingNewest(bufferMax)) { continuation in
      let subscription = observe { continuation.yield($0) }
      continuation.onTermination = { _ in subscription.cancel() }
    }
  }
}
