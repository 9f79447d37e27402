/// Signals that follow from one other. Each is up to date in the turn of its source, and each has
/// its value at once. Their functions must be pure. They run first in the call that makes the
/// signal. Then they run once for each turn that changes the source, on the thread that has the
/// turn.
///
/// ```swift
/// let names = Variable(["Bo", "Ann"])
/// let sorted = names.signal.map { $0.sorted() }
/// let count = names.signal.select(\.count)
/// let showing = sorted.distinct().observe { print($0) }    // ["Ann", "Bo"]
/// names.value = ["Ann", "Bo"]                              // sorted it is the same: no news
/// print(count.value)                                       // 2
/// ```
extension Signal {
  /// The signal of what a pure function makes of each value. It changes whenever this one does,
  /// also to an equal value: `distinct()` leaves those out.
  public func map<Output: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Output
  ) -> Signal<Output> {
    Signal<Output>.derived(
      from: [upstream], read: { node.read($0) }, initial: transform,
      step: { [node] next in
        next = transform(node.draft.pointee)
        return true
      })
  }

  /// The same signal without the values that a pure function refuses; it then keeps the one before,
  /// which is `initial` until the first one that is included.
  public func filter(
    initial: Value, _ isIncluded: @escaping @Sendable (Value) -> Bool
  ) -> Signal {
    derived(initial: { isIncluded($0) ? $0 : initial }) { value, next in
      guard isIncluded(value) else { return false }
      next = value
      return true
    }
  }

  /// The same signal without changes to what a function calls a duplicate of the value before. The
  /// value stays the older of the two then.
  public func distinct(
    by isDuplicate: @escaping @Sendable (_ old: Value, _ new: Value) -> Bool
  ) -> Signal {
    derived(initial: { $0 }) { value, next in
      guard !isDuplicate(next, value) else { return false }
      next = value
      return true
    }
  }

  /// The signal of one part of the value; it changes only when that part does: `map` and `distinct`
  /// in one.
  public func select<Part: Sendable & Equatable>(
    _ path: any KeyPath<Value, Part> & Sendable
  ) -> Signal<Part> {
    derived(initial: { $0[keyPath: path] }) { value, next in
      let part = value[keyPath: path]
      guard part != next else { return false }
      next = part
      return true
    }
  }

  /// The signal that a pure function makes of its own last value and each new value.
  ///
  /// Its first value is made of `initial` and this signal's present value. It sees what turns
  /// publish, and not each write: two in one transaction count as one.
  public func scan<Output: Sendable>(
    _ initial: Output, _ combine: @escaping @Sendable (Output, Value) -> Output
  ) -> Signal<Output> {
    derived(initial: { combine(initial, $0) }) { value, next in
      next = combine(next, value)
      return true
    }
  }
}

extension Signal where Value: Equatable {
  /// The same signal without changes to an equal value: whoever observes it is told of news alone.
  public func distinct() -> Signal { distinct { $0 == $1 } }
}
