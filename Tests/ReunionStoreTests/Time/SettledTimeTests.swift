import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionStore

/// The time by which what is old is deleted: no single reading of a clock decides.
@Suite struct SettledTimeTests {
  static let day: UInt64 = 86_400_000
  private static let start: UInt64 = 1_800_000_000_000

  /// A clock that begins right. Each reading says one of these days, counted from the beginning.
  private func read(_ days: [Double], from time: SettledTime? = nil) -> SettledTime {
    var time = time ?? SettledTime(wall: Self.start)
    for days in days { time.read(UInt64(Double(Self.start) + days * Double(Self.day))) }
    return time
  }

  private func days(_ milliseconds: UInt64) -> Double {
    (Double(milliseconds) - Double(Self.start)) / Double(Self.day)
  }

  @Test func `a clock that is ahead once, however far, is told and moves nothing`() {
    for ahead in [4.1, 40, 200, 36_500] {
      let leapt = read([1, 2, 2 + ahead])
      #expect(days(leapt.earliest) == 2 && leapt.isLeapt)
      #expect(leapt.notice?.contains("\(Int(ahead)) days ahead") == true)
      let right = read([2.001], from: leapt)
      #expect(days(right.earliest) == 2.001 && !right.isLeapt && right.notice == nil)
    }
  }

  @Test func `a clock that is behind is told, and nothing is later than what was known`() {
    let behind = read([1, -400])
    #expect(days(behind.latest) == 1 && days(behind.earliest) == -400)
    #expect(behind.notice?.contains("401 days behind") == true)
    #expect(days(read([1.5], from: behind).earliest) == 1.5)
  }

  @Test func `wrong starts without a right one between are no week`() {
    // Seconds apart by the clock; or each at another time.
    #expect(days(read([1] + (0..<50).map { 200 + Double($0) / 86_400 }).earliest) == 1)
    #expect(days(read([1, 900, 200, 100, 50, 40, 30, 20, 10]).earliest) == 1)
    // A right one begins the wait anew.
    #expect(days(read([1, 200, 203, 1.1, 204, 205, 206, 207]).earliest) == 1.1)
  }

  @Test func `an absence of 200 days is believed after a week, and not before`() {
    let absent = read([1, 201])
    #expect(days(read((1..<7).map { 201 + Double($0) }, from: absent).earliest) == 1)
    #expect(days(read((1..<8).map { 201 + Double($0) }, from: absent).earliest) == 208)
    // Also of a machine that runs once a week.
    #expect(days(read((1...7).map { 201 + 7 * Double($0) }, from: absent).earliest) == 250)
    // A clock that stays behind is one that was set right.
    #expect(days(read((0...7).map { -400 + Double($0) }).earliest) == -393)
  }

  @Test func `weekends, summer time and small corrections pass unseen`() {
    var time = SettledTime(wall: Self.start)
    var now = 0.0
    for step in [1, 3, 0.04, -0.04, 4, 0.5, -1, 3.9, 1] {
      now += step
      time = read([now], from: time)
      #expect(!time.isLeapt && abs(days(time.earliest) - now) < 1e-6)
    }
  }

  private func open(
    _ folder: Folder, _ now: Lock<UInt64>, bugs: SeededBugs = []
  ) throws -> Store {
    try folder.open {
      $0.wallMilliseconds = { now.withLock { $0 } }
      $0.seededBugs = bugs
    }
  }

  @Test func `a store keeps the time over a restart, and knows it by its stamps at first`() throws {
    let folder = Folder()
    let now = Lock(Self.start)
    var store = try open(folder, now)
    try store.write(in: space) { _ = try $0.create(Photo.self) { $0.caption = "x" } }
    try store.close()
    now.withLock { $0 += 200 * Self.day }
    store = try open(folder, now)
    #expect(try store.settleTime().earliest < Self.start + Self.day)
    try store.close()
    now.withLock { $0 -= 200 * Self.day - 1000 }
    store = try open(folder, now)
    #expect(try store.settleTime() == SettledTime(wall: Self.start + 1000))
    try store.close()
    // What is written with a wrong clock is no proof of it.
    now.withLock { $0 += 300 * Self.day }
    store = try open(folder, now)
    try store.write(in: space) { _ = try $0.create(Photo.self) { $0.caption = "y" } }
    #expect(try store.lastTime(at: now.withLock { $0 }).earliest == Self.start + 1000)
    #expect(try store.settleTime().isLeapt)
    try store.close()
  }

  /// Bytes that nothing names for 16 days, and a clock that is ahead for one collection.
  private func collected(_ bugs: SeededBugs) throws -> Bool {
    let folder = Folder()
    let now = Lock(Self.start)
    let store = try open(folder, now, bugs: bugs)
    let blob = try store.blobs.add([1, 2, 3])
    for _ in 0...16 {
      try store.blobs.collect()
      now.withLock { $0 += Self.day }
    }
    now.withLock { $0 += 200 * Self.day }
    try store.blobs.collect()
    now.withLock { $0 -= 200 * Self.day }
    try store.blobs.collect()
    return try !store.blobs.contains(blob.hash)
  }

  @Test func `a clock that is ahead for one collection takes no blob`() throws {
    #expect(try !collected([]))
  }

  @Test func `a leap that is believed is caught (negative control)`() throws {
    #expect(try collected([.leapBelieved]))
  }

  @Test func `a clock that is behind for one collection takes no blob later`() throws {
    let folder = Folder()
    let now = Lock(Self.start)
    let store = try open(folder, now)
    let blob = try store.blobs.add([1, 2, 3])
    for _ in 0..<10 {
      try store.blobs.collect()
      now.withLock { $0 -= 100 * Self.day }
      try store.blobs.collect()
      now.withLock { $0 += 100 * Self.day + 1000 }
    }
    #expect(try store.blobs.collect().removed.isEmpty && store.blobs.contains(blob.hash))
  }

  @Test func `what is old is collected after an absence of 200 days, a week later`() throws {
    let folder = Folder()
    let now = Lock(Self.start)
    let store = try open(folder, now)
    let blob = try store.blobs.add([1, 2, 3])
    for _ in 0...16 {
      try store.blobs.collect()
      now.withLock { $0 += Self.day }
    }
    now.withLock { $0 += 200 * Self.day }
    for _ in 0..<7 {
      try store.blobs.collect()
      #expect(try store.blobs.contains(blob.hash))
      now.withLock { $0 += Self.day }
    }
    try store.blobs.collect()
    #expect(try !store.blobs.contains(blob.hash))
  }
}
