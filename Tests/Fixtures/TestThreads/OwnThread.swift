import Dispatch
package import Testing

/// Runs each test of a suite on a thread of its own, by `@Suite(.onOwnThread)`: what computes for
/// seconds.
///
/// The pool, on which all other tests wait and servers answer, has a thread a core: two tests that
/// compute on it hold up everything, until what waits for an answer gives up.
package struct OwnThread: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(TaskThread()) { try await body() }
  }
}

/// A thread for tasks that are not to run on those of the pool. It runs their pieces in the order
/// in which they came.
package final class TaskThread: TaskExecutor {
  private let queue = DispatchQueue(label: "org.reunion.test")

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

extension Trait where Self == OwnThread {
  /// Not on a thread of the pool.
  package static var onOwnThread: Self { Self() }
}
