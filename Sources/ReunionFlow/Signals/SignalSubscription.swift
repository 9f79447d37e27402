import Synchronization

/// An observation that lasts until this object is cancelled or released.
///
/// ```swift
/// let name = Variable("Ann")
/// let showing = name.signal.observe { print($0) }    // Ann
/// name.value = "Bo"                                  // Bo
/// showing.cancel()
/// name.value = "Cleo"                                // nobody is told
/// ```
///
/// One that nobody keeps ends at once: an observer that is told the first value and no other was
/// not kept.
///
/// *Thread*: any. After `cancel()` has returned, no call to the observer starts. A call that
/// another thread started before that may still be running.
public final class SignalSubscription: Cancellable, @unchecked Sendable {
  private let hasEnded = Atomic(false)
  // After the first `cancel` nobody but that call touches it.
  @exclusivity(unchecked) private var ending: (any Ending)?

  init(_ ending: any Ending) { self.ending = ending }

  /// Makes a subscription that runs a closure once, when it is cancelled or released: for a
  /// `SignalProducer` of your own. The closure runs on the thread that does it.
  public convenience init(_ end: @escaping @Sendable () -> Void) { self.init(ClosureEnding(end)) }

  deinit { cancel() }

  /// Ends the observation, and lets go of its closure and what that held; again it does nothing.
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
