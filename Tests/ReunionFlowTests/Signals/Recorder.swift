import ReunionFlow

/// What a test has seen, from any thread.
final class Recorder<Value: Sendable>: Sendable {
  private let lock = Lock<[Value]>([])

  var values: [Value] { lock.withLock { $0 } }

  func add(_ value: Value) { lock.withLock { $0.append(value) } }
}
