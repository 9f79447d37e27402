extension Signal {
  /// Writes the present value and then each change to a variable, until the result is released.
  ///
  /// Each write is a turn of its own, right after the one that it comes from. Binding a variable to
  /// what follows from it is a cycle, and ends the program.
  public func bind(to variable: Variable<Value>) -> SignalSubscription {
    let target = variable.node
    return SignalSubscription(FeedNode.start(self, into: target) { target.write($0) })
  }

  /// Writes the present value and then each change to a property of an object, such as a view, on
  /// the main thread, until the result or the object is released. It does not hold the object.
  ///
  /// *Ordering*: as for `observe(on:)`.
  @MainActor
  public func bind<Target: AnyObject>(
    to target: Target, _ path: ReferenceWritableKeyPath<Target, Value>
  ) -> SignalSubscription {
    observe(on: .shared) { [weak target] value in target?[keyPath: path] = value }
  }
}
