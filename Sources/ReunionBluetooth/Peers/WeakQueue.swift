import ReunionFlow

/// Runs work on the serial queue of a `Bluetooth`, as long as that lives.
struct WeakQueue: Sendable {
  private let body: @Sendable (@escaping @Sendable (BluetoothCore) -> Void) -> Bool
  private let end: ReleaseLatch?

  /// Has nothing that could run any.
  init() { (body, end) = ({ _ in false }, nil) }

  /// Keeps nothing alive.
  init(_ queue: SerialQueue<BluetoothCore>, _ end: ReleaseLatch) {
    self.end = end
    body = { [weak queue] work in
      guard let queue else { return false }
      queue.run(work)
      return true
    }
  }

  /// Runs work there; where all of it was released it never runs.
  func callAsFunction(_ work: @escaping @Sendable (BluetoothCore) -> Void) { _ = body(work) }

  /// Runs work there, or something else once all of it was released and is over.
  func callAsFunction(
    _ work: @escaping @Sendable (BluetoothCore) -> Void, otherwise: @escaping @Sendable () -> Void
  ) {
    if !body(work) { end?.whenOver(otherwise) }
  }
}
