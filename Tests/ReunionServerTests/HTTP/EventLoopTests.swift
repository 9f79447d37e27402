import ReunionSockets
import Testing
import Waiting

/// What one thread does for many, in which order, and what it keeps.
@Suite struct EventLoopTests {
  /// What a piece of work may hold.
  private final class Held: Sendable {}

  @Test func `what sockets and timers bring waits for a few pieces of work`() throws {
    let (loop, log) = (try EventLoop(), Log<Int>())
    defer { loop.stop() }
    loop.execute {
      loop.execute { loop.schedule(after: .zero) { log.append(-1) } }
      for number in 1..<100 { loop.execute { log.append(number) } }
    }
    #expect(log.wait(for: 100))
    #expect(log.all.filter { $0 > 0 } == Array(1..<100))
    #expect(try #require(log.all.firstIndex(of: -1)) < 100 / 16)
  }

  @Test func `what somebody waits for goes before what goes to many`() throws {
    let (loop, log) = (try EventLoop(), Log<Int>())
    defer { loop.stop() }
    loop.execute {
      for number in 1...200 { loop.execute(.patient) { log.append(number) } }
      loop.execute { loop.beginNextTurn { log.append(-2) } }
      for _ in 0..<8 { loop.execute { log.append(-1) } }
    }
    #expect(log.wait(for: 209))
    #expect(log.all.filter { $0 > 0 } == Array(1...200))
    // The last of the prompt work, in its third turn.
    #expect(try #require(log.all.lastIndex(of: -1)) < 60)
    #expect(try #require(log.all.firstIndex(of: -2)) < 40)
  }

  @Test func `work that is done holds nothing any more`() throws {
    let loop = try EventLoop()
    defer { loop.stop() }
    weak var last: Held?
    do {
      let held = Held()
      last = held
      loop.execute { for _ in 0..<20 { loop.execute { _ = held } } }
    }
    try eventually("what was done lets go of what it held") { last == nil }
  }

  @Test func `what was asked for before a stop is done, however much it is`() throws {
    let (loop, log) = (try EventLoop(), Log<Int>())
    loop.execute { for number in 0..<1000 { loop.execute { log.append(number) } } }
    #expect(log.wait(for: 1))
    loop.stop()
    #expect(log.all == Array(0..<1000))
  }
}
