import Foundation
import ReunionFlow
import Waiting

@testable import Reunion

/// Things that happen on other threads, in their order, and a way to wait for them.
final class Log<Item: Sendable>: Sendable {
  private let items = Lock<[Item]>([])

  var all: [Item] { items.withLock { $0 } }

  func append(_ item: Item) { items.withLock { $0.append(item) } }

  /// Waits up to two minutes until the items satisfy the condition; false where they never did.
  func wait(until condition: ([Item]) -> Bool) -> Bool {
    (try? eventually("what a test waits for") { condition(all) }) != nil
  }

  func wait(for count: Int) -> Bool { wait { $0.count >= count } }
}

/// Runs what waits for answers on a thread of its own, and gives its result: the server's tasks
/// need the threads of the pool.
///
/// Check the result after it: what fails on that thread is said of no test.
func onThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: .init(catching: body)) }
  }
}
