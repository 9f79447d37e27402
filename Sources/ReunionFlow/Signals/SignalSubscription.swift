import Synchronization

/// An observation that lasts until this object is cancelled or released.
///
/// *Thread*: any. After `cancel()` has returned, no call to the observer starts. A call that
/// another thread started before that may still be running.
public final class SignalSubscription: Cancellable, @unchecked Sendable {
  private let hasEnded = Atomic(false)
  // After the first `cancel` nobody but that call touches it.
  @exclusivity(unchecked) private var ending: (any Ending)?

  init(_ ending: any Ending) { self.ending = ending }

  /// Makes a subscription that runs a closure once, when it is cancelled or released.
  public convenience init(_ end: @escaping @Sendable () -> Void) { self.init(ClosureEnding(end)) }

  deinit { cancel() }

  /// Ends the observation; again it does nothing.
  public func cancel() {
    guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
    ending.take()?.end()
  }

  /// True once it was cancelled.
  public var isCancelled: Bool { hasEnded.load(ordering: .acquiring) }

  /// Keeps this subscription alive for as long as a bag lives.
  public func store(in bag: DisposeBag) { bag.insert(self) }
}

/// A closure that ends something.
private final class ClosureEnding: Ending {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  func end() { body() }
}
