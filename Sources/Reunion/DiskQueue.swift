import Dispatch
import ReunionFlow

/// Runs what waits for a disk away from the caller's thread, a few pieces at a time, in their order.
///
/// *Cancellation*: what has not begun when its task is cancelled never runs, and throws
/// `CancellationError`; what has begun is finished, and its result is returned.
final class DiskQueue: Sendable {
  private struct State {
    var waiting: [@Sendable () -> Void] = []
    var runnerCount = 0
  }

  /// More threads than a disk serves at once would only wait, each with a connection of its own.
  private static let runnersMax = 4

  private let queue: DispatchQueue
  private let state = Lock(State())

  init(label: String) {
    queue = DispatchQueue(label: label, attributes: .concurrent)
  }

  /// Runs a closure, and returns what it returns.
  func run<Success: Sendable>(
    _ body: @escaping @Sendable () throws -> Success
  ) async throws -> Success {
    try await runUnlessCancelled { _ in try body() }
  }

  /// Runs a closure that may have to wait before its work begins, and looks then whether it was
  /// cancelled meanwhile.
  func runUnlessCancelled<Success: Sendable>(
    _ body: @escaping @Sendable (Cancellation) throws -> Success
  ) async throws -> Success {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        add {
          continuation.resume(
            with: Result {
              try cancellation.check()
              return try body(cancellation)
            })
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }

  private func add(_ work: @escaping @Sendable () -> Void) {
    let mustRun = state.withLock { state in
      state.waiting.append(work)
      guard state.runnerCount < Self.runnersMax else { return false }
      state.runnerCount += 1
      return true
    }
    if mustRun { queue.async { self.runAll() } }
  }

  private func runAll() {
    while let work = next() { work() }
  }

  private func next() -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.runnerCount -= 1
      return nil
    }
  }
}

/// Whether a task was cancelled before its work began.
final class Cancellation: Sendable {
  private let isCancelled = Lock(false)

  func cancel() { isCancelled.withLock { $0 = true } }

  /// Throws where the task was cancelled by now.
  func check() throws {
    if isCancelled.withLock({ $0 }) { throw CancellationError() }
  }
}
