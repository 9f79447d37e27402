import Dispatch
import Reunion
import ReunionCommandLine

/// The process was asked to stop before the work was done.
struct Stopped: Error {}

extension StopSignals {
  /// Waits for work that is done elsewhere; throws `Stopped` where a signal comes first.
  func outcome<Value: Sendable>(
    of work: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    let outcome = Lock<Outcome<Value>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task {
      let result: Result<Value, any Error>
      do { result = .success(try await work()) } catch { result = .failure(error) }
      outcome.withLock { $0 = Outcome(result: result) }
      done.signal()
    }
    while done.wait(timeout: .now() + .milliseconds(20)) == .timedOut {
      if wait(milliseconds: 0) { throw Stopped() }
    }
    guard let outcome = outcome.withLock({ $0 }) else { throw Stopped() }
    return try outcome.result.get()
  }
}

private struct Outcome<Value: Sendable>: Sendable {
  let result: Result<Value, any Error>
}
