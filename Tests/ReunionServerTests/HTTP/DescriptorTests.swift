import Foundation
import ReunionFlow
import Testing

@testable import ReunionServer

/// libwebsockets 4.1 closes one descriptor twice when its context ends (CWebSockets.h).
@Suite struct DescriptorTests {
  @Test func `a server that stops closes no descriptor that another thread has opened`() throws {
    let isOver = Lock(false)
    let lost = Lock(0)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      // The lowest free number is the one that was just closed.
      while !isOver.withLock({ $0 }) {
        let descriptors = (0..<4).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        sched_yield()
        for descriptor in descriptors where close(descriptor) != 0 { lost.withLock { $0 += 1 } }
      }
      ended.signal()
    }
    for _ in 0..<100 {
      let server = try HTTPServer(port: 0) { _ in .respond(.text(200, "here")) }
      server.stop()
    }
    isOver.withLock { $0 = true }
    ended.wait()
    #expect(lost.withLock { $0 } == 0)
  }
}
