public import Observation

/// A signal's value for code that observes with `withObservationTracking`, such as SwiftUI views.
///
/// ```swift
/// import Observation
/// import ReunionFlow
///
/// @MainActor func follow(_ name: Observed<String>) {
///   withObservationTracking {
///     print(name.value)
///   } onChange: {
///     Task { @MainActor in follow(name) }
///   }
/// }
/// ```
///
/// A SwiftUI view keeps it, as `@State private var name = Observed(service.name)`, and shows
/// `Text(name.value)`: SwiftUI does the rest.
///
/// *Thread*: the main one. *Ordering*: as for `Signal.observe(on:)`: never behind once the main
/// thread rests, and without the values in between. *Lifetime*: it follows until it is released.
@MainActor
public final class Observed<Value: Sendable>: Observable {
  private let registrar = ObservationRegistrar()
  private var current: Value
  private var subscription: SignalSubscription?

  /// Begins to follow a signal, and has its present value.
  public init(_ signal: Signal<Value>) {
    current = signal.value
    subscription = signal.observe(on: .shared) { [weak self] value in self?.take(value) }
  }

  /// The signal's value, as far as the main thread has heard. Reading it in a view's body, or in
  /// `withObservationTracking`, makes that run again when it changes.
  public var value: Value {
    registrar.access(self, keyPath: \.value)
    return current
  }

  private func take(_ value: Value) {
    registrar.withMutation(of: self, keyPath: \.value) { current = value }
  }
}

extension Signal {
  /// The signal of what a closure reads from `@Observable` objects of the main thread.
  ///
  /// ```swift
  /// import Observation
  /// import ReunionFlow
  ///
  /// @MainActor @Observable final class Appearance { var isDark = false }
  /// @MainActor func isDark(in appearance: Appearance) -> Signal<Bool> {
  ///   Signal(tracking: { appearance.isDark })
  /// }
  /// ```
  ///
  /// The closure must read and change nothing. It runs when the signal is made, perhaps twice, and
  /// after each change of what it read last. *Ordering*: Observation tells that a change is about
  /// to happen; the value is read on the main thread afterwards, so changes of one stretch of
  /// main-thread work become one. *Lifetime*: it follows for as long as the signal, or an
  /// observation of it, lives.
  @MainActor
  public init(tracking read: @escaping @MainActor () -> Value) {
    let tracker = Tracker(read)
    self.init(tracker.node, Anchor(tracker.node, holding: tracker))
  }
}

/// Reads a value again whenever what it was read from has changed.
@MainActor
private final class Tracker<Value: Sendable> {
  let node: ValueNode<Value>
  private let read: @MainActor () -> Value

  init(_ read: @escaping @MainActor () -> Value) {
    self.read = read
    // The first value is read twice, since the closure that tells of changes needs `self`.
    node = ValueNode(read(), turns: Turns())
    _ = track()
  }

  private func track() -> Value {
    withObservationTracking(read) { [weak self] in
      Task { @MainActor in self?.follow() }
    }
  }

  private func follow() { node.post(track()) }
}
