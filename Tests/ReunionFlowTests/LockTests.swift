import Dispatch
import ReunionFlow
import Testing

@Suite struct LockTests {
  @Test(arguments: [2, 4, 16])
  func `threads that want one lock lose nothing and none sleeps for ever`(_ threadCount: Int) {
    let total = Lock(0)
    onThreads(threadCount) { thread in
      for round in 0..<20_000 {
        total.withLock { $0 += 1 }
        // Hold it long enough, now and then, that the others go to sleep.
        if round % 2_000 == thread { total.withLock { _ in spin() } }
      }
    }
    #expect(total.withLock { $0 } == threadCount * 20_000)
  }

  @Test func `threads that wait for different locks wake each for its own`() {
    let locks = (0..<8).map { _ in Lock(0) }
    onThreads(8) { thread in
      for round in 0..<5_000 {
        locks[(thread + round) % 8].withLock { value in
          if round % 500 == 0 { spin() }
          value += 1
        }
      }
    }
    var total = 0
    for lock in locks { total += lock.withLock { $0 } }
    #expect(total == 8 * 5_000)
  }

  private func spin() {
    let end = DispatchTime.now().uptimeNanoseconds + 300_000
    while DispatchTime.now().uptimeNanoseconds < end {}
  }
}
