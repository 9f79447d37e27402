import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionServer

/// What is told of what devices show (docs/protocol.md 2.22).
@Suite struct PresenceRoomTests {
  typealias Room = PresenceRoom<Int>

  static func at(_ milliseconds: Int64) -> Moment { Moment(nanoseconds: milliseconds * 1_000_000) }

  static func entry(
    _ key: String, _ value: Int64?, by device: UInt64 = 0, isMessage: Bool = false
  ) -> PresenceEntry {
    PresenceEntry(
      device: device, key: Array(key.utf8), isMessage: isMessage,
      value: value.map { .int($0) } ?? .null)
  }

  /// A room with the listeners 1, 2, … of the devices 10, 20, …
  static func room(_ count: Int = 2) -> Room {
    var room = Room()
    for listener in 1...count { room.come(listener, device: UInt64(10 * listener)) }
    return room
  }

  @Test func `what a device shows is told once, under the number that it has`() {
    var room = Self.room()
    room.take(PresenceUpdate([Self.entry("finger", 3, by: 99)]), from: 1, at: Self.at(0))
    #expect(room.tick(at: Self.at(1)) == PresenceUpdate([Self.entry("finger", 3, by: 10)]))
    #expect(room.tick(at: Self.at(2)) == nil)
    // The same again is no news.
    room.take(PresenceUpdate([Self.entry("finger", 3)]), from: 1, at: Self.at(3))
    #expect(room.tick(at: Self.at(4)) == nil)
    #expect(room.whole(for: 20).entries == [Self.entry("finger", 3, by: 10)])
    #expect(room.whole(for: 10).entries.isEmpty)
  }

  @Test func `of what comes between two ticks the latest is told, and every message`() {
    var room = Self.room()
    for value in 1...5 as ClosedRange<Int64> {
      let entries = [Self.entry("finger", value), Self.entry("tap", value, isMessage: true)]
      room.take(PresenceUpdate(entries), from: 1, at: Self.at(value))
    }
    let taps = (1...5 as ClosedRange<Int64>).map {
      Self.entry("tap", $0, by: 10, isMessage: true)
    }
    #expect(room.tick(at: Self.at(9))?.entries == [Self.entry("finger", 5, by: 10)] + taps)
  }

  @Test func `who says too much is heard later, and the latest alone`() {
    var room = Self.room()
    for value in 1...1_000 as ClosedRange<Int64> {
      room.take(PresenceUpdate([Self.entry("a", value)]), from: 1, at: Self.at(0))
      room.take(
        PresenceUpdate([Self.entry("tap", value, isMessage: true)]), from: 1, at: Self.at(0))
    }
    // The first sixty, and of the values among them the last alone.
    var heard = room.tick(at: Self.at(0))?.entries ?? []
    #expect(heard.count == 31)
    #expect(room.isStirred)
    #expect(room.tick(at: Self.at(1)) == nil)
    heard = []
    for tick in 1...30 as ClosedRange<Int64> {
      heard += room.tick(at: Self.at(tick * 33))?.entries ?? []
    }
    #expect(
      heard == [Self.entry("a", 1_000, by: 10), Self.entry("tap", 1_000, by: 10, isMessage: true)])
    #expect(!room.isStirred)
    // Over a second no more than sixty are heard, of however many.
    var count = 0
    for tick in 0..<60 as Range<Int64> {
      for value in 0..<20 as Range<Int64> {
        let entry = Self.entry("tap", value, isMessage: true)
        room.take(PresenceUpdate([entry]), from: 1, at: Self.at(2_000 + tick * 33))
      }
      count += room.tick(at: Self.at(2_000 + tick * 33))?.entries.count ?? 0
    }
    #expect((150...185).contains(count))
  }

  @Test func `a large value counts for several`() {
    var room = Self.room()
    var told = 0
    for number in 0..<60 {
      let bytes = Value.bytes([UInt8](repeating: UInt8(number), count: 1_024))
      let entry = PresenceEntry(key: Array("large".utf8), isMessage: true, value: bytes)
      room.take(PresenceUpdate([entry]), from: 1, at: Self.at(0))
    }
    told += room.tick(at: Self.at(0))?.entries.count ?? 0
    #expect(told == 12)
  }

  @Test func `a device shows sixteen values, and can change and end each`() {
    var room = Self.room()
    for key in 0..<20 {
      room.take(PresenceUpdate([Self.entry("\(key)", 1)]), from: 1, at: Self.at(0))
    }
    #expect(room.whole(for: 20).entries.count == 16)
    room.take(PresenceUpdate([Self.entry("0", nil)]), from: 1, at: Self.at(1_000))
    room.take(PresenceUpdate([Self.entry("16", 1)]), from: 1, at: Self.at(1_000))
    #expect(room.whole(for: 20).entries.count == 16)
    let told = room.tick(at: Self.at(1_000))?.entries
    #expect(told?.contains(Self.entry("0", nil, by: 10)) == true)
  }

  @Test func `whoever leaves shows nothing any more, and its other program what it showed itself`()
  {
    var room = Self.room()
    room.come(3, device: 10)
    room.take(PresenceUpdate([Self.entry("one", 1)]), from: 1, at: Self.at(0))
    room.take(PresenceUpdate([Self.entry("other", 1)]), from: 3, at: Self.at(0))
    _ = room.tick(at: Self.at(0))
    room.leave(1, at: Self.at(1))
    #expect(room.tick(at: Self.at(1))?.entries == [Self.entry("one", nil, by: 10)])
    #expect(room.whole(for: 20).entries == [Self.entry("other", 1, by: 10)])
    // Somebody who has left shows nothing.
    room.take(PresenceUpdate([Self.entry("one", 2)]), from: 1, at: Self.at(2))
    #expect(room.tick(at: Self.at(3)) == nil)
    room.leave(3, at: Self.at(3))
    #expect(room.whole(for: 20).entries.isEmpty)
    #expect(room.listeners.count == 1)
  }

  @Test func `whoever comes again begins anew`() {
    var room = Self.room()
    room.take(PresenceUpdate([Self.entry("old", 1)]), from: 1, at: Self.at(0))
    _ = room.tick(at: Self.at(0))
    room.come(1, device: 10)
    room.take(PresenceUpdate([Self.entry("new", 1)]), from: 1, at: Self.at(1))
    #expect(
      room.tick(at: Self.at(2))?.entries == [
        Self.entry("old", nil, by: 10), Self.entry("new", 1, by: 10),
      ])
  }

  @Test func `whoever begins anew, or comes back, may say no more for it`() {
    var room = Self.room()
    var count = 0
    for number in 0..<50 as Range<Int64> {
      if number.isMultiple(of: 3) { room.leave(1, at: Self.at(number)) }
      room.come(1, device: 10)
      let taps = (0..<50 as Range<Int64>).map { Self.entry("tap \($0)", $0, isMessage: true) }
      room.take(PresenceUpdate(taps, isWhole: true), from: 1, at: Self.at(number))
      count += room.tick(at: Self.at(number))?.entries.count ?? 0
    }
    #expect((60...65).contains(count))
  }

  @Test func `no key waits for ever beside others that change all the time`() {
    var room = Self.room()
    var heard: Set<[UInt8]> = []
    for tick in 0..<200 as Range<Int64> {
      let now = Self.at(tick * 33)
      let keys = ["a", "b", "c", "d", "e"]
      room.take(PresenceUpdate(keys.map { Self.entry($0, tick) }), from: 1, at: now)
      let told = room.tick(at: now)?.entries ?? []
      if tick > 100 { heard.formUnion(told.map(\.key)) }
    }
    #expect(heard.count == 5)
  }

  @Test func `what ends makes room for what begins, everywhere`() {
    var room = Self.room()
    let all = (0..<16).map { Self.entry("z\($0)", 1) }
    room.take(PresenceUpdate(all), from: 1, at: Self.at(0))
    _ = room.tick(at: Self.at(0))
    let swap = PresenceUpdate([Self.entry("a", 2), Self.entry("z3", nil)])
    room.take(swap, from: 1, at: Self.at(1_000))
    #expect(
      room.tick(at: Self.at(1_000))?.entries == [
        Self.entry("z3", nil, by: 10), Self.entry("a", 2, by: 10),
      ])
  }

  @Test func `of two programs of a device the last one is seen, until it goes`() {
    var room = Self.room()
    room.come(3, device: 10)
    room.take(PresenceUpdate([Self.entry("name", 1)]), from: 1, at: Self.at(0))
    room.take(PresenceUpdate([Self.entry("name", 2)]), from: 3, at: Self.at(0))
    #expect(room.tick(at: Self.at(0))?.entries == [Self.entry("name", 2, by: 10)])
    // What the other one ends, or says late, is its own.
    room.take(PresenceUpdate([Self.entry("name", nil)]), from: 1, at: Self.at(1))
    #expect(room.tick(at: Self.at(1)) == nil)
    room.take(PresenceUpdate([Self.entry("name", 1)]), from: 1, at: Self.at(2))
    _ = room.tick(at: Self.at(2))
    room.leave(1, at: Self.at(3))
    #expect(room.tick(at: Self.at(3))?.entries == [Self.entry("name", 2, by: 10)])
  }

  /// Whatever happens, who hears each tick knows what the whole says.
  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `the parts add up to the whole`(seed: UInt64) {
    var random = Chance(state: seed)
    var room = Self.room(4)
    var heard: [UInt64: [[UInt8]: Value]] = [:]
    var now: Int64 = 0
    for _ in 0..<400 {
      now += Int64(random.below(30))
      let listener = 2 + random.below(3)
      switch random.below(10) {
      case 0: room.leave(listener, at: Self.at(now))
      case 1: room.come(listener, device: UInt64(10 * listener))
      default:
        let key = "\(random.below(20))"
        let value = random.below(4) == 0 ? nil : Int64(random.below(3))
        room.take(PresenceUpdate([Self.entry(key, value)]), from: listener, at: Self.at(now))
      }
      guard random.below(3) == 0 else { continue }
      for entry in room.tick(at: Self.at(now))?.entries ?? [] where entry.device != 10 {
        heard[entry.device, default: [:]][entry.key] = entry.value == .null ? nil : entry.value
      }
      if room.tick(at: Self.at(now)) != nil { Issue.record("one tick told half") }
      var whole: [UInt64: [[UInt8]: Value]] = [:]
      for entry in room.whole(for: 10).entries {
        whole[entry.device, default: [:]][entry.key] = entry.value
      }
      #expect(heard.filter { !$0.value.isEmpty } == whole)
    }
  }

  /// A small generator, the same in each run.
  struct Chance {
    var state: UInt64

    mutating func below(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
  }
}
