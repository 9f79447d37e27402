extension Signal {
  /// Writes the present value and then each change to a variable, until the result is released.
  ///
  /// ```swift
  /// let typed = Variable("har")
  /// let sought = Variable("")
  /// let binding = typed.signal.bind(to: sought)
  /// typed.value = "harbour"
  /// print(sought.value)    // harbour
  /// ```
  ///
  /// It is for a variable that others write as well; what only follows is derived (`map`).
  /// Each write is a turn of its own, right after the one that it comes from. Binding a variable to
  /// what follows from it is a cycle, and ends the program.
  public func bind(to variable: Variable<Value>) -> SignalSubscription {
    let target = variable.node
    return SignalSubscription(FeedNode.start(self, into: target) { target.write($0) })
  }

  /// Writes the present value and then each change to a property of an object, such as a view, on
  /// the main thread, until the result or the object is released. It does not hold the object.
  ///
  /// ```swift
  /// @MainActor final class Header { var title = "" }
  /// @MainActor func show(_ name: Signal<String>, in header: Header) -> SignalSubscription {
  ///   name.bind(to: header, \.title)
  /// }
  /// ```
  ///
  /// *Ordering*: as for `observe(on:)`.
  @MainActor
  public func bind<Target: AnyObject>(
    to target: Target, _ path: ReferenceWritableKeyPath<Target, Value>
  ) -> SignalSubscription {
    observe(on: .shared) { [weak target] value in target?[keyPath: path] = value }
  }
}
