import Foundation

/// Runs a body on `count` threads at once, and returns when all are done.
///
/// They are threads of their own: a pool may run one body after the other.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let group = DispatchGroup()
  for index in 0..<count {
    group.enter()
    Thread.detachNewThread {
      body(index)
      group.leave()
    }
  }
  group.wait()
}

/// Lets other threads run, in a loop that waits for one of them.
func yieldThread() { sched_yield() }
