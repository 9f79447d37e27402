import Foundation
import Reunion
@testable import ReunionFlow
import ScreenTimeCore
import Testing

@testable import ScreenTimeBook

/// A family's server whose clock is wrong for a while.
@Suite struct LeapTests {
  private static let day: UInt64 = 86_400_000
  private static let start: UInt64 = 1_800_000_000_000
  private static let (use, limits) = (SpaceID(high: 1, low: 1), SpaceID(high: 1, low: 2))

  /// A server, as it is opened and asked each hour.
  private final class House {
    let folder = "\(NSTemporaryDirectory())/leap-\(UUID())"
    let now = Lock(LeapTests.start)
    private(set) var store: Store

    init() throws { store = try Self.open(folder, now) }

    deinit {
      try? store.close()
      try? FileManager.default.removeItem(atPath: folder)
    }

    private static func open(_ folder: String, _ now: Lock<UInt64>) throws -> Store {
      var options = StoreOptions()
      options.wallMilliseconds = { now.withLock { $0 } }
      return try Store.open(folder: folder, model: .family, options: options)
    }

    /// Starts it again once its clock has gone on by that many milliseconds.
    func restart(after milliseconds: Int64) throws {
      try store.close()
      now.withLock { $0 = UInt64(Int64($0) + milliseconds) }
      store = try Self.open(folder, now)
    }

    var upkeep: Upkeep { Upkeep(store, use: LeapTests.use, limits: LeapTests.limits) }
    var count: Int {
      get throws { try store.fetch(Query<UseRecord>(in: LeapTests.use)).count }
    }

    /// A use that a device of a right clock noted.
    func note(_ number: Int, at moment: UInt64) throws {
      let use = Use(
        number: number, program: "game", start: Int64(moment), offset: 0, length: 60_000,
        ending: .idle)
      _ = try store.write(in: LeapTests.use) { transaction in
        try transaction.create(UseRecord.self) { $0.take(use, of: RecordID(high: 1, low: 1)) }
      }
    }
  }

  private func house() throws -> House {
    let house = try House()
    for number in 1...10 {
      try house.note(number, at: Self.start + UInt64(number - 1) * Self.day)
      house.now.withLock { $0 = Self.start + UInt64(number - 1) * Self.day }
      try house.upkeep.forget(by: house.store.settleTime())
    }
    return house
  }

  @Test func `a clock that is 200 days ahead at one start deletes no use`() throws {
    let house = try house()
    try house.restart(after: Int64(200 * Self.day))
    let time = try house.store.settleTime()
    #expect(time.notice?.contains("ahead") == true)
    #expect(try house.upkeep.forget(by: time) == 0)
    // Every hour of half a week.
    for _ in 0..<84 {
      house.now.withLock { $0 += 3_600_000 }
      #expect(try house.upkeep.forget(by: house.store.settleTime()) == 0)
    }
    try house.restart(after: -Int64(203 * Self.day))
    #expect(try house.upkeep.forget(by: house.store.settleTime()) == 0)
    #expect(try house.count == 10)
  }

  @Test func `by the clock alone all are deleted (negative control)`() throws {
    let house = try house()
    try house.restart(after: Int64(200 * Self.day))
    #expect(try house.upkeep.forget(now: Int64(house.now.withLock { $0 })) == 10)
  }

  @Test func `what is old goes a week after an absence of 200 days`() throws {
    let house = try house()
    try house.restart(after: Int64(200 * Self.day))
    for _ in 0..<7 * 24 {
      #expect(try house.upkeep.forget(by: house.store.settleTime()) == 0)
      house.now.withLock { $0 += 3_600_000 }
    }
    #expect(try house.upkeep.forget(by: house.store.settleTime()) == 10)
  }

  @Test func `what comes while the clock is behind is placed where it was, and stays`() throws {
    let house = try house()
    let right = house.now.withLock { $0 }
    try house.restart(after: -Int64(200 * Self.day))
    try house.note(11, at: right)
    let now = house.now.withLock { $0 }
    #expect(try house.upkeep.noteArrivals(by: house.store.lastTime(at: now)) == 0)
    #expect(try house.upkeep.forget(by: house.store.settleTime()) == 0)
    try house.restart(after: Int64(200 * Self.day))
    #expect(try house.upkeep.forget(by: house.store.settleTime()) == 0)
    #expect(try house.count == 11)
  }
}
