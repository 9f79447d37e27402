import Synchronization

/// What a subscription ends.
protocol Ending: AnyObject {
  /// Ends it; called once. *Thread*: any.
  func end()
}

/// A caller's closure in the roster of a node, until it is cancelled.
///
/// It holds the node's anchor, so that what is observed stays in the graph.
final class Observer<Value: Sendable>: Seat, Ending, @unchecked Sendable {
  let body: @Sendable (Value) -> Void
  private let place: any ObserverPlace
  private let anchor: Anchor?
  /// Where it was added; nil for one that is not watched.
  private let site: CallSite?
  private let isEnded = Atomic(false)

  init(
    _ body: @escaping @Sendable (Value) -> Void, at place: any ObserverPlace, _ anchor: Anchor?,
    _ site: CallSite?
  ) {
    self.body = body
    self.site = site
    self.place = place
    self.anchor = anchor
  }

  /// Calls the closure, unless the observer has ended.
  func deliver(_ value: Value) {
    guard !isEnded.load(ordering: .acquiring) else { return }
    guard let site else { return body(value) }
    DeliveryWatch.during(site) { body(value) }
  }

  func end() {
    isEnded.store(true, ordering: .releasing)
    place.remove(self)
  }
}

/// A node that has observers.
protocol ObserverPlace: AnyObject {
  /// Takes an observer out, and releases it with its closure. *Thread*: any.
  func remove(_ observer: Seat)
}
