import Foundation
import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync
import Testing

@testable import ReunionServer

/// When a server tells what of what devices show, on virtual time (docs/protocol.md 2.22).
@Suite struct PresenceRoomsTests {
  /// A link that keeps what is sent, and that may be slow.
  final class Ear: Link {
    let heard = Lock<[PresenceUpdate]>([])
    let queued = Lock(0)
    /// Whether what is sent waits until the test drains it.
    let isSlow = Lock(false)
    var messageBytesMax: Int { Message.bytesMax }
    var queuedBytes: Int { queued.withLock { $0 } }
    func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) {}
    func pauseReceiving(_ isPaused: Bool) {}
    func close() {}
    func send(_ message: [UInt8]) {
      guard case .presence(let update)? = try? Message(decoding: message) else { return }
      heard.withLock { $0.append(update) }
      if isSlow.withLock({ $0 }) { queued.withLock { $0 += message.count } }
    }

    /// What came since the last call.
    func news() -> [PresenceUpdate] {
      heard.withLock { heard in
        defer { heard = [] }
        return heard
      }
    }
  }

  final class Hall {
    let clock = TestClock()
    let folder = "\(NSTemporaryDirectory())/hall-\(UUID())"
    let store: Store
    let rooms: PresenceRooms
    let space = SpaceID.random()
    var ears: [Ear] = []
    var sessions: [Session] = []

    init(_ count: Int, bugs: SeededBugs = []) throws {
      store = try Store.open(folder: folder, model: Model(entities: []))
      rooms = PresenceRooms(clock: clock, bugs: bugs) { _ in { work in work() } }
      for number in 0..<count {
        let ear = Ear()
        ears.append(ear)
        sessions.append(
          Session(
            link: ear, store: store, configuration: .init(space: space), clock: clock,
            execute: { $0() }))
        say(PresenceUpdate([], isWhole: true), by: number)
      }
      clock.advance(by: .milliseconds(40))
      for ear in ears { #expect(ear.news() == [PresenceUpdate([], isWhole: true)]) }
    }

    func say(_ update: PresenceUpdate, by number: Int) {
      tap(number).heard(sessions[number], update)
    }

    func say(_ key: String, _ value: Int64, by number: Int) {
      say(PresenceUpdate([PresenceRoomTests.entry(key, value)]), by: number)
    }

    func tap(_ number: Int) -> PresenceTap {
      rooms.tap(space, device: UInt64(number + 1), isSeen: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
  }

  static let entry = PresenceRoomTests.entry

  @Test func `everybody else is told at once, and then every 33 ms`() throws {
    let hall = try Hall(3)
    hall.say("finger", 1, by: 0)
    hall.clock.advance(by: .zero)
    let first = [PresenceUpdate([Self.entry("finger", 1, 1, false)])]
    #expect(hall.ears[0].news().isEmpty && hall.ears[1].news() == first)
    #expect(hall.ears[2].news() == first)
    for value in 2...20 as ClosedRange<Int64> { hall.say("finger", value, by: 0) }
    hall.clock.advance(by: .milliseconds(32))
    #expect(hall.ears[1].news().isEmpty)
    hall.clock.advance(by: .milliseconds(1))
    #expect(hall.ears[1].news() == [PresenceUpdate([Self.entry("finger", 20, 1, false)])])
    // Two who show something hear of each other alone.
    hall.say("finger", 5, by: 1)
    hall.say("finger", 6, by: 2)
    hall.clock.advance(by: .milliseconds(33))
    #expect(hall.ears[1].news().flatMap(\.entries) == [Self.entry("finger", 6, 3, false)])
    #expect(hall.ears[0].news().flatMap(\.entries).count == 2)
    #expect(hall.ears[2].news().flatMap(\.entries).count == 2)
    hall.clock.advance(by: .seconds(10))
    #expect(hall.ears.allSatisfy { $0.news().isEmpty })
  }

  @Test func `whose link is slow hears all once it is not`() throws {
    let hall = try Hall(2)
    hall.ears[1].queued.withLock { $0 = 1 << 20 }
    for value in 1...50 as ClosedRange<Int64> {
      hall.say("finger", value, by: 0)
      hall.clock.advance(by: .milliseconds(40))
    }
    #expect(hall.ears[1].news().isEmpty)
    hall.ears[1].queued.withLock { $0 = 0 }
    hall.clock.advance(by: .milliseconds(250))
    #expect(
      hall.ears[1].news() == [PresenceUpdate([Self.entry("finger", 50, 1, false)], isWhole: true)])
    hall.say("finger", 51, by: 0)
    hall.clock.advance(by: .milliseconds(40))
    #expect(hall.ears[1].news() == [PresenceUpdate([Self.entry("finger", 51, 1, false)])])
  }

  /// A room that is more than a link takes at once is told in parts, and what changes meanwhile after them.
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a slow link hears a large room in parts, and ends where the others are`(seed: UInt64) {
    var random = PresenceRoomTests.Chance(state: seed)
    guard let hall = try? Hall(40) else { return }
    var known: [UInt64: [[UInt8]: Value]] = [:]
    var isMissing = false
    hall.ears[39].isSlow.withLock { $0 = true }
    for round in 0..<300 {
      for _ in 0..<random.below(12) {
        let bytes = [UInt8](repeating: UInt8(random.below(256)), count: 1_000)
        let entry = PresenceEntry(
          key: Array("\(random.below(16))".utf8),
          value: random.below(5) == 0 ? .null : .bytes(bytes))
        hall.say(PresenceUpdate([entry]), by: random.below(39))
      }
      if round == 100 { hall.say(PresenceUpdate([], isWhole: true), by: 39) }
      hall.clock.advance(by: .milliseconds(50))
      hall.ears[39].queued.withLock { $0 = max(0, $0 - (round < 200 ? 3_000 : 300_000)) }
      isMissing = isMissing || hall.ears[39].queuedBytes > 32 * 1024
      for update in hall.ears[39].news() {
        if update.isWhole { known = [:] }
        for entry in update.entries {
          known[entry.device, default: [:]][entry.key] = entry.value == .null ? nil : entry.value
        }
      }
    }
    for _ in 0..<20 {
      hall.clock.advance(by: .seconds(1))
      hall.ears[39].queued.withLock { $0 = 0 }
      for update in hall.ears[39].news() {
        if update.isWhole { known = [:] }
        for entry in update.entries {
          known[entry.device, default: [:]][entry.key] = entry.value == .null ? nil : entry.value
        }
      }
    }
    var whole: [UInt64: [[UInt8]: Value]] = [:]
    hall.ears[39].isSlow.withLock { $0 = false }
    hall.say(PresenceUpdate([], isWhole: true), by: 39)
    hall.clock.advance(by: .seconds(2))
    for update in hall.ears[39].news() {
      for entry in update.entries { whole[entry.device, default: [:]][entry.key] = entry.value }
    }
    #expect(isMissing && !whole.isEmpty)
    #expect(known.filter { !$0.value.isEmpty } == whole)
  }

  @Test func `whoever asks for all again and again is told it once a second`() throws {
    let hall = try Hall(2)
    hall.say("finger", 1, by: 0)
    hall.clock.advance(by: .seconds(2))
    _ = hall.ears[1].news()
    var count = 0
    for _ in 0..<100 {
      hall.say(PresenceUpdate([], isWhole: true), by: 1)
      hall.clock.advance(by: .milliseconds(50))
      count += hall.ears[1].news().count { $0.isWhole }
    }
    #expect((4...6).contains(count))
  }

  /// The negative control keeps what a closed link showed.
  @Test(arguments: [false, true])
  func `what was shown ends with its link`(isBug: Bool) throws {
    let hall = try Hall(2, bugs: isBug ? [.presenceOutlivesLink] : [])
    hall.say("finger", 1, by: 0)
    hall.clock.advance(by: .seconds(1))
    _ = hall.ears[1].news()
    hall.tap(0).ended(hall.sessions[0])
    hall.clock.advance(by: .seconds(1))
    let ended = [PresenceUpdate([Self.entry("finger", nil, 1, false)])]
    #expect((hall.ears[1].news() == ended) == !isBug)
  }
}
