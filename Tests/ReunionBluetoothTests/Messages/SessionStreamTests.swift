import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionBluetooth

/// Messages that last as long as a connection: whole, in order, bounded, and the urgent ones first
/// (docs/protocol.md 2.16).
@Suite struct SessionStreamTests {
  /// Hands parts over until none is left; what comes out, in order.
  static func carry(
    _ one: SessionStream, _ other: SessionStream, room: Int = 200, limit: Int = 10_000
  ) throws -> [[UInt8]] {
    var messages: [[UInt8]] = []
    for _ in 0..<limit {
      guard one.hasUrgent || one.hasBulk else { break }
      let part = one.nextPart(room, isUrgent: one.hasUrgent)
      if let message = try other.receive(part[...]) { messages.append(message) }
      if let count = other.tell() { try one.taken(count) }
    }
    return messages
  }

  @Test func `messages come whole and in order, and the urgent ones first`() throws {
    let (one, other) = (SessionStream(), SessionStream())
    let photo = someBytes(SessionStream.messageBytesMax, 1)
    one.queue(photo, isUrgent: false)
    var messages: [[UInt8]] = []
    for number in 0..<50 as Range<UInt64> {
      let part = one.nextPart(200, isUrgent: false)
      #expect(try other.receive(part[...]) == nil)
      if let count = other.tell() { try one.taken(count) }
      if number == 20 {
        one.queue([1], isUrgent: true)
        one.queue([], isUrgent: true)
        messages += try Self.carry(one, other, limit: 2)
      }
    }
    #expect(messages == [[1], []])
    #expect(try Self.carry(one, other) == [photo])
    #expect(one.isDrained(isUrgent: true) && one.isDrained(isUrgent: false))
  }

  @Test func `who takes nothing holds the other back, and whoever does not heed it is cut off`()
    throws
  {
    let (one, other) = (SessionStream(), SessionStream())
    other.isPaused = true
    for number in 0..<4 as Range<UInt64> {
      one.queue(someBytes(60_000, number), isUrgent: false)
    }
    let messages = try Self.carry(one, other)
    #expect(messages.count == 1)
    #expect(!one.hasBulk)
    other.isPaused = false
    try one.taken(#require(other.tell()))
    #expect(try Self.carry(one, other).count == 3)
    // A peer that counts on its own.
    other.isPaused = true
    let part = [UInt8](repeating: 0, count: 2000)
    #expect(throws: ChannelFault.violation) {
      for _ in 0..<100 { _ = try other.receive(part[...]) }
    }
  }

  @Test func `what no peer sends is refused`() throws {
    // Nothing at all; a message without end; more taken than was sent; less than before.
    #expect(throws: ChannelFault.violation) { try SessionStream().receive([]) }
    let endless = SessionStream()
    #expect(throws: ChannelFault.violation) {
      while true {
        _ = try endless.receive(([0] + someBytes(2000, 1))[...])
        _ = endless.tell()
      }
    }
    let stream = SessionStream()
    stream.queue(someBytes(1000, 1), isUrgent: true)
    _ = stream.nextPart(500, isUrgent: true)
    #expect(throws: ChannelFault.violation) { try stream.taken(501) }
    try stream.taken(400)
    #expect(throws: ChannelFault.violation) { try stream.taken(399) }
  }

  @Test func `random parts trap nothing and hold no more than a message each`() throws {
    var random = MediumRandom(seed: 3)
    for _ in 0..<20 {
      let stream = SessionStream()
      var count = 0
      do {
        for _ in 0..<200 {
          let part = someBytes(Int.random(in: 0...2049, using: &random), random.next())
          count += try stream.receive(part[...])?.count ?? 0
          _ = stream.tell()
        }
      } catch { #expect(error == .violation) }
      #expect(count <= 200 * 2049)
    }
  }

  @Test func `a session stream and an app's messages share a connection, and neither starves`()
    throws
  {
    let duo = Duo(seed: 61)
    try duo.meet()
    let heard = Lock<[[UInt8]]>([])
    let peer = try #require(duo.laptop.peer)
    let listening = peer.listen { event in
      if case .received(let message) = event { heard.withLock { $0.append(message) } }
    }
    let sent = (0..<40 as Range<UInt64>).map { someBytes(10_000, $0) }
    for message in sent { duo.phone.peer?.stream(message, isUrgent: true) }
    let records = (0..<20 as Range<UInt64>).map { someBytes(10_000, $0 + 100) }
    for record in records { duo.send(record, from: duo.phone) }
    duo.clock.advance(by: .seconds(4))
    let streamed = heard.withLock { $0.count }
    let taken = duo.laptop.taken[.records]?.count ?? 0
    #expect(abs(streamed - taken) <= 3 && streamed > 8, "\(streamed) streamed, \(taken) taken")
    #expect(duo.settle(within: .seconds(60)) { heard.withLock { $0.count } == 40 })
    #expect(heard.withLock { $0 } == sent)
    #expect(duo.settle(within: .seconds(60)) { duo.laptop.taken[.records] == records })
    // With the connection it is gone, and the next one is open for more.
    duo.phone.peer?.stream(someBytes(60_000, 1), isUrgent: false)
    duo.medium.cut(duo.phone.radio, duo.laptop.radio)
    #expect(duo.settle(within: .seconds(20)) { duo.isConnected })
    duo.clock.advance(by: .seconds(20))
    #expect(heard.withLock { $0.count } == 40)
    duo.phone.peer?.stream([9], isUrgent: false)
    #expect(duo.settle(within: .seconds(5)) { heard.withLock { $0.last } == [9] })
    listening.cancel()
  }
}
