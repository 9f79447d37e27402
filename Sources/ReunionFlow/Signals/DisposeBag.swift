/// Subscriptions that end together, when the bag is emptied or released.
///
/// ```swift
/// final class Screen: Sendable {
///   private let bag = DisposeBag()
///   private let title = Variable("")
///   func show(_ name: Signal<String>) {
///     name.observe { [weak self] name in self?.title.value = name }.store(in: bag)
///   }
/// }
/// ```
///
/// A closure that holds the bag's owner keeps both for ever: hold it weakly, as here. Members that
/// were cancelled are dropped as the bag grows, so a long-lived bag holds no more than twice what
/// is alive. *Thread*: any. *Cost*: insert is amortised O(1).
public final class DisposeBag: Sendable {
  private struct State {
    var members: [SignalSubscription] = []
    var sweepAt = 16
  }

  private let state = Lock(State())

  /// Makes an empty bag.
  public init() {}

  /// Keeps a subscription alive for as long as the bag, or until it is cancelled.
  public func insert(_ subscription: SignalSubscription) {
    let dropped = state.withLock { state -> [SignalSubscription] in
      state.members.append(subscription)
      guard state.members.count >= state.sweepAt else { return [] }
      let all = state.members
      state.members.removeAll { $0.isCancelled }
      state.sweepAt = max(16, state.members.count * 2)
      return all
    }
    _ = dropped
  }

  /// How many subscriptions the bag holds; some may have been cancelled since.
  public var count: Int { state.withLock { $0.members.count } }

  /// Ends all subscriptions in the bag; it can be used again, for example for the next row of a
  /// list that a cell shows.
  public func cancelAll() {
    let members = state.withLock { state in
      let members = state.members
      state = State()
      return members
    }
    for member in members { member.cancel() }
  }
}
