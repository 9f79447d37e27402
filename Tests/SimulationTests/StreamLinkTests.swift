import ReunionFlow
import ReunionSync
import TestThreads
import Testing

@testable import ReunionTesting

/// The ordered link of a world, over networks that lose, double, delay, reorder and damage packets.
@Suite(.onOwnThread) struct StreamLinkTests {
  private final class Ends: Sendable {
    let clock = TestClock()
    let one: StreamLink
    let two: StreamLink
    let heard = Lock<[[UInt8]]>([])
    let events = Lock<[String]>([])

    init(_ quality: NetworkQuality, seed: UInt64) {
      (one, two) = StreamLink.pair(clock: clock, quality: quality, seed: seed)
      one.start { [events] event in events.withLock { $0.append(Self.name(event)) } }
      two.start { [heard] event in
        if case .received(let bytes) = event { heard.withLock { $0.append(bytes) } }
      }
      clock.advance(by: .seconds(10))
    }

    private static func name(_ event: LinkEvent) -> String {
      switch event {
      case .opened: "opened"
      case .received: "received"
      case .drained: "drained"
      case .closed: "closed"
      }
    }
  }

  @Test(arguments: [NetworkQuality.good, .crowded, .radio])
  func `carries every message whole and in order over any network`(quality: NetworkQuality) {
    for seed in UInt64(1)...40 {
      let ends = Ends(quality, seed: seed)
      var random = SeededRandom(seed: seed)
      let messages = (0..<12).map { number in
        [UInt8](repeating: UInt8(number), count: Int.random(in: 0...4_000, using: &random))
      }
      for message in messages { ends.one.send(message) }
      ends.clock.advance(by: .seconds(300))
      #expect(ends.heard.withLock { $0 } == messages, "seed \(seed)")
      #expect(ends.events.withLock { $0.first } == "opened")
    }
  }

  @Test func `carries a message that is larger than its window`() {
    let ends = Ends(.good, seed: 1)
    let message = [UInt8](repeating: 7, count: 1 << 20)
    ends.one.send(message)
    ends.clock.advance(by: .seconds(120))
    #expect(ends.heard.withLock { $0 } == [message])
  }

  @Test func `a slow network and a paused receiver hold the sender back until they go on`() {
    let ends = Ends(NetworkQuality(bytesPerSecond: 10_000), seed: 2)
    ends.two.pauseReceiving(true)
    for _ in 0..<10 { ends.one.send([UInt8](repeating: 1, count: 30_000)) }
    ends.clock.advance(by: .seconds(60))
    #expect(ends.one.queuedBytes > 200_000)
    #expect(ends.heard.withLock { $0.isEmpty })
    ends.two.pauseReceiving(false)
    ends.clock.advance(by: .seconds(120))
    #expect(ends.one.queuedBytes == 0)
    #expect(ends.heard.withLock { $0.count } == 10)
    #expect(ends.events.withLock { $0.contains("drained") })
  }

  @Test func `a close comes after what was sent, at both ends`() {
    let ends = Ends(.crowded, seed: 3)
    for number in 0..<5 { ends.one.send([UInt8(number)]) }
    ends.one.close()
    ends.one.send([9])
    ends.clock.advance(by: .seconds(30))
    #expect(ends.heard.withLock { $0 } == (0..<5).map { [UInt8($0)] })
    #expect(ends.events.withLock { $0.last } == "closed")
  }

  @Test func `says the end once a flight, however often it is asked what can go`() {
    var stream = ByteStream()
    stream.end()
    var packets = stream.packets(bytesMax: 1400)
    #expect(packets.map(\.marks) == [.end])
    // Two ends that close at once would otherwise answer each other with ever more of them.
    packets = stream.packets(bytesMax: 1400)
    #expect(packets.isEmpty)
    let isAlive = stream.sendAgain()
    #expect(isAlive)
    packets = stream.packets(bytesMax: 1400)
    #expect(packets.map(\.marks) == [.end])
  }
}
