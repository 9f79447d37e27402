/// Events without a current value, such as errors of a link: never coalesced, never repeated.
///
/// ```swift
/// let scanned = Emitter<String>()
/// let tickets = scanned.occurrences.filter { $0.hasPrefix("ticket:") }
/// let checking = tickets.observe { print("Check \($0)") }
/// let counting = tickets.scan(0) { count, _ in count + 1 }.observe { print("\($0) tickets") }
/// scanned.send("ticket:17")
/// ```
///
/// *Thread* and *ordering*: as for `Signal`. The events of one turn are delivered one by one, in
/// order, after all values of that turn were published.
public struct Occurrences<Value: Sendable>: Sendable {
  let node: EventNode<Value>
  /// Keeps the node in the graph; an emitter's needs none.
  let anchor: Anchor?

  init(_ node: EventNode<Value>, _ anchor: Anchor?) {
    self.node = node
    self.anchor = anchor
  }

  var upstream: Upstream { Upstream(node: node, anchor: anchor) }

  /// Calls a closure with each event from now on, until the result is released; what came before is
  /// not told. One that blocks for a second is named on standard error by `file` and `line`.
  public func observe(
    file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable (Value) -> Void
  ) -> SignalSubscription {
    node.observe(anchor, CallSite(file, line), body)
  }

  /// What a pure function makes of each event, as soon as it comes.
  public func map<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Output
  ) -> Occurrences<Output> {
    Occurrences<Output>.derived(from: [upstream]) { [node] events in
      for event in node.events {
        events.append(.init(stamp: event.stamp, value: transform(event.value)))
      }
    }
  }

  /// The events for which a pure function returns true.
  public func filter(_ isIncluded: @escaping @Sendable (Value) -> Bool) -> Occurrences {
    Occurrences.derived(from: [upstream]) { [node] events in
      for event in node.events where isIncluded(event.value) { events.append(event) }
    }
  }

  /// The signal of what a pure function makes of its own value before and each event.
  ///
  /// It begins with `initial` when it is made, and counts events from then on: each call makes a
  /// signal of its own. So keep it where the events that nobody shows must count, too.
  public func scan<Output: Sendable>(
    _ initial: Output, _ combine: @escaping @Sendable (Output, Value) -> Output
  ) -> Signal<Output> {
    Signal<Output>.derived(
      from: [upstream], read: { _ in }, initial: { initial },
      step: { [node] next in
        for event in node.events { next = combine(next, event.value) }
        return true
      })
  }
}

/// The events of several occurrences, each once, in the order in which they were sent.
///
/// ```swift
/// let lost = Emitter<String>()
/// let refused = Emitter<String>()
/// let telling = merge(lost.occurrences, refused.occurrences).observe { print($0) }
/// lost.send("The server is going away.")
/// ```
///
/// Events of two sources in one transaction keep the order of their sends. *Cost*: one node, and a
/// sort of the turn's events; the sources' turns are common from then on.
public func merge<Value: Sendable>(_ occurrences: Occurrences<Value>...) -> Occurrences<Value> {
  Occurrences.derived(from: occurrences.map(\.upstream)) {
    [nodes = occurrences.map(\.node)] events in
    for node in nodes { events.append(contentsOf: node.events) }
    events.sort { $0.stamp < $1.stamp }
  }
}
