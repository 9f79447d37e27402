import Foundation
import Glibc
import ReunionFlow

@testable import Reunion

/// Things that happen on other threads, in their order, and a way to wait for them.
final class Log<Item: Sendable>: Sendable {
  private let items = Lock<[Item]>([])

  var all: [Item] { items.withLock { $0 } }

  func append(_ item: Item) { items.withLock { $0.append(item) } }

  /// Waits up to two minutes until the items satisfy the condition; false where they never did.
  func wait(until condition: ([Item]) -> Bool) -> Bool {
    for _ in 0..<24_000 {
      if condition(all) { return true }
      usleep(5000)
    }
    return false
  }

  func wait(for count: Int) -> Bool { wait { $0.count >= count } }
}

/// Runs what waits for answers on a thread of its own: the server's tasks need those of the pool.
func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
  }
}
