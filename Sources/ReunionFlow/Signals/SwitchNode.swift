/// A node that has the value of the signal that another node has at the time.
final class SwitchNode<Value: Sendable>: ValueNode<Value>, @unchecked Sendable {
  private let outer: ValueNode<Signal<Value>>
  private var inner: Signal<Value>

  private init(_ outer: ValueNode<Signal<Value>>, _ inner: Signal<Value>, value: Value) {
    self.outer = outer
    self.inner = inner
    super.init(value, turns: outer.turns)
  }

  override func refresh(_ turn: inout Turn) -> Outcome {
    let wanted = outer.draft.pointee
    if wanted.node !== inner.node {
      detach(from: inner.node)
      inner = wanted
      let level = rank
      guard attachToInner() else {
        draft.pointee = followLater()
        return .changed
      }
      // The inner node comes later in this turn.
      if rank > level { return .later }
    }
    draft.pointee = inner.node.draft.pointee
    return .changed
  }

  /// Attaches to the inner node if it belongs to the same owner.
  private func attachToInner() -> Bool {
    let isOwned = inner.node.turns.root === turns.root && turns.locked { $0.hasOneOwner }
    if isOwned { attach(inner: inner.node) }
    return isOwned
  }

  private func attach(inner: Node) {
    // A signal that followed from itself would never come to rest.
    precondition(!leads(to: inner), "A signal switches to one that follows from it.")
    attach(to: inner)
  }

  /// Attaches to an inner node of turns that ran apart until now, when they have ended; returns the
  /// node's value until then.
  private func followLater() -> Value {
    let inner = inner.node
    Turns.merge(turns, inner.turns)
    let (value, version) = turns.locked { _ in (inner.published.pointee, inner.version) }
    turns.submit { [self] turn in
      guard self.inner.node === inner else { return }
      attach(inner: inner)
      if inner.version != version { turn.mark(self) }
    }
    return value
  }

  /// Makes the signal of what the outer signal's signal says. *Thread*: any.
  static func signal(of outer: Signal<Signal<Value>>) -> Signal<Value> {
    if let building = Building.current, building.owns([outer.node]),
      building.owns([outer.node.draft.pointee.node])
    {
      let inner = outer.node.draft.pointee
      let node = SwitchNode(outer.node, inner, value: inner.node.draft.pointee)
      building.attach(node, to: [outer.node, inner.node])
      return Signal(node, Anchor(node, sources: [outer.anchor].compactMap { $0 }))
    }
    let turns = outer.node.turns
    while true {
      let inner = outer.value
      Turns.merge(turns, inner.node.turns)
      let sources: [Node] = [outer.node, inner.node]
      let found = turns.locked { _ -> (Value, UInt64)? in
        guard outer.node.published.pointee.node === inner.node else { return nil }
        return (inner.node.published.pointee, sources.version)
      }
      guard let (value, version) = found else { continue }
      let node = SwitchNode(outer.node, inner, value: value)
      turns.submit { turn in
        node.attach(to: outer.node)
        node.attach(inner: inner.node)
        if sources.version != version { turn.mark(node) }
      }
      return Signal(node, Anchor(node, sources: [outer.anchor].compactMap { $0 }))
    }
  }
}

extension Signal {
  /// The value of the signal that is this signal's value: it switches when that one is replaced.
  ///
  /// ```swift
  /// let (home, work) = (Variable("12 °C"), Variable("9 °C"))
  /// let place = Variable(home.signal)
  /// let shown: Signal<String> = place.signal.switchToLatest()
  /// place.value = work.signal
  /// print(shown.value)    // 9 °C
  /// ```
  ///
  /// A signal that the transform of a `map` makes is up to date in the very turn that switches to
  /// it. Switching to a signal that follows from the result is a cycle, and ends the program.
  /// *Cost*: a switch visits what depends on the result, to make sure that there is no cycle.
  public func switchToLatest<Inner: Sendable>() -> Signal<Inner> where Value == Signal<Inner> {
    SwitchNode.signal(of: self)
  }

  /// The value of the signal that a pure function makes of the present value: `map`, and then
  /// `switchToLatest`.
  ///
  /// ```swift
  /// let shown = Variable(album)
  /// let count: Signal<Int> = shown.signal.flatMapLatest { album in
  ///   let photos = Query<Photo>(in: space).filter(\.album == album)
  ///   return (try? replica.live(photos.count())) ?? Variable(0).signal
  /// }
  /// ```
  ///
  /// The function runs once for each turn that changes this signal, also to an equal value. Put
  /// `distinct()` before it where a new inner signal costs much.
  public func flatMapLatest<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<Output>
  ) -> Signal<Output> {
    map(transform).switchToLatest()
  }
}
