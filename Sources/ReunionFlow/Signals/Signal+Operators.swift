extension Signal {
  /// The signal of what a pure function makes of each value. It changes whenever this one does.
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

  /// The same signal without changes to what a function calls a duplicate of the value before.
  public func distinct(
    by isDuplicate: @escaping @Sendable (_ old: Value, _ new: Value) -> Bool
  ) -> Signal {
    derived(initial: { $0 }) { value, next in
      guard !isDuplicate(next, value) else { return false }
      next = value
      return true
    }
  }

  /// The signal of one part of the value; it changes only when that part does.
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
  /// Its first value is made of `initial` and this signal's present value.
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
  /// The same signal without changes to an equal value.
  public func distinct() -> Signal { distinct { $0 == $1 } }
}
