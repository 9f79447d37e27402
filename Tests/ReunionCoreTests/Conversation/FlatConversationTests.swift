import Testing

@testable import ReunionCore

/// The conversation as a page leads it, against `Conversation` itself: the same events in, the same
/// effects out, byte for byte, over random sessions with a server; and bytes of any other form.
@Suite struct FlatConversationTests {
  /// How often each type of an event and of an effect was met.
  private struct Count {
    var events: [UInt8: Int] = [:]
    var effects: [UInt8: Int] = [:]
    var live = 0
  }

  @Test func `a page's calls do what the conversation does`() throws {
    var count = Count()
    for seed in 0..<3_000 as Range<UInt64> {
      var walk = FlatWalk(seed: seed)
      for _ in 0..<60 {
        let call = walk.draw()
        let expected = walk.expected(of: call)
        let bytes = try walk.flat.perform(call.bytes)
        try #require(bytes == expected.bytes, "seed \(seed): \(call)")
        count.events[call.type, default: 0] += 1
        for type in expected.types { count.effects[type, default: 0] += 1 }
      }
      if walk.wasLive { count.live += 1 }
    }
    // A test of little would say as much.
    #expect((1...13).allSatisfy { count.events[$0, default: 0] > 100 }, "\(count.events)")
    #expect((1...10).allSatisfy { count.effects[$0, default: 0] > 50 }, "\(count.effects)")
    #expect(count.live > 500)
  }

  @Test func `another form is an error, and changes nothing`() throws {
    var (errorCount, takenCount) = (0, 0)
    for seed in 0..<2_000 as Range<UInt64> {
      var walk = FlatWalk(seed: seed)
      for _ in 0..<40 {
        let call = walk.draw()
        var hostile = walk.flat
        do throws(WireError) {
          _ = try hostile.perform(walk.damaged(call.bytes))
          takenCount += 1
        } catch {
          errorCount += 1
          // Whoever made the mistake may go on.
          walk.flat = hostile
        }
        let expected = walk.expected(of: call)
        try #require(try walk.flat.perform(call.bytes) == expected.bytes, "seed \(seed): \(call)")
      }
    }
    #expect(errorCount > 5_000 && takenCount > 5_000)
  }

  @Test func `bytes that nobody wrote trap nowhere`() throws {
    var random = Seeded(5)
    for _ in 0..<20_000 {
      var flat = FlatConversation()
      for _ in 0..<4 {
        let type = UInt8.random(in: 0...15, using: &random)
        let most: UInt8 = [1, 3, 255][Int.random(in: 0..<3, using: &random)]
        var bytes = [type]
        for _ in 0..<Int.random(in: 0..<80, using: &random) {
          bytes.append(UInt8.random(in: 0...most, using: &random))
        }
        _ = try? flat.perform(bytes)
      }
      #expect(throws: WireError.self) { try flat.perform([]) }
    }
  }
}
