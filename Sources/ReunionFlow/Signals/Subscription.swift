/// An observation that goes on until this object is cancelled or released.
///
/// *Thread*: any. After `cancel()` has returned, no call to the observer starts; one that another
/// thread has started by then may still be running.
public final class Subscription: Cancellable {
  private struct State {
    var end: (@Sendable () -> Void)?
  }

  private let state: Lock<State>

  /// Makes a subscription that runs a closure once, when it is cancelled or released.
  public init(_ end: @escaping @Sendable () -> Void) { state = Lock(State(end: end)) }

  deinit { cancel() }

  /// Ends the observation; again it does nothing.
  public func cancel() {
    var ended = State()
    state.withLock { swap(&$0, &ended) }
    ended.end?()
  }

  /// True once it was cancelled.
  public var isCancelled: Bool { state.withLock { $0.end == nil } }

  /// Keeps this subscription alive for as long as a bag lives.
  public func store(in bag: DisposeBag) { bag.insert(self) }
}
