import FoundationEssentials
import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionStore

private enum Theme: String, FieldValue { case light, dark }

private let theme = SettingKey("theme", default: Theme.light)
private let size = SettingKey("size", default: 12)
private let launches = SettingKey("launches", default: 0, merge: .counter)
private let tags = SettingKey("tags", default: Set<String>(), merge: .union)
private let best = SettingKey("best", default: 0.0, merge: .max)
private let seen = SettingKey("seen", default: false, merge: .or)
private let me = SpaceID(high: 1, low: 0)
private let you = SpaceID(high: 2, low: 0)

@Suite struct SettingsTests {
  private let folders = [Folder(), Folder()]

  private func settings(
    _ number: Int, _ limits: SettingsLimits = .standard
  ) throws -> RoamingSettings {
    try RoamingSettings(try folders[number].open(), account: me, limits: limits)
  }

  private struct Secret: CodableValue, Equatable {
    var text: String?

    func encode(to encoder: any Encoder) throws {
      guard let text else {
        throw EncodingError.invalidValue(
          self, EncodingError.Context(codingPath: [], debugDescription: "no text"))
      }
      try text.encode(to: encoder)
    }

    init(_ text: String?) { self.text = text }
    init(from decoder: any Decoder) throws { text = try String(from: decoder) }
  }

  @Test func `a setting that cannot be encoded is refused, and stays what it was`() throws {
    let settings = try settings(0)
    let key = SettingKey("secret", default: Secret("none"))
    try settings.set(key, to: Secret("key"))
    #expect(isCode(.notEncodable) { try settings.set(key, to: Secret(nil)) })
    #expect(try settings.value(of: key) == Secret("key"))
  }

  /// A counter that was removed counts from zero again (docs/protocol.md 4.3).
  @Test func `sets and reads by typed keys, over a new opening too`() throws {
    var settings = try settings(0)
    #expect(try settings.value(of: theme) == .light && settings.keys.isEmpty)
    try settings.write { transaction in
      try transaction.set(theme, to: .dark)
      try transaction.add(2, to: launches)
      try transaction.insert("a", into: tags)
      try transaction.insert("b", into: tags)
      #expect(try transaction.value(of: tags) == ["a", "b"])
      try transaction.set(best, to: 2.5)
      try transaction.set(best, to: 7)
      try transaction.set(best, to: -1)
      #expect(try transaction.value(of: best) == 7)
    }
    try settings.add(3, to: launches)
    try settings.remove("a", from: tags)
    try settings.store.close()
    settings = try self.settings(0)
    #expect(try settings.value(of: theme) == .dark)
    #expect(try settings.value(of: launches) == 5)
    #expect(try settings.value(of: tags) == ["b"])
    #expect(try settings.value(of: best) == 7)
    #expect(try !settings.value(of: seen))
    #expect(settings.keys == ["theme", "launches", "tags", "best"])
    #expect(settings.usage == SettingsUsage(keys: 4, bytes: 4 + 8 + 1 + 8))
    try settings.remove(theme)
    try settings.remove(launches)
    try settings.remove(tags)
    #expect(try settings.value(of: theme) == .light && settings.value(of: launches) == 0)
    #expect(isCode(.wrongType) { try settings.remove(best) })
    #expect(settings.keys == ["best"])
    try settings.add(1, to: launches)
    #expect(try settings.value(of: launches) == 1)
  }

  @Test func `a reinstalled device overwrites nothing, and a write before the first sync stays`()
    throws
  {
    let old = try settings(0)
    try old.write { transaction in
      try transaction.set(theme, to: .dark)
      try transaction.set(size, to: 20)
      try transaction.add(4, to: launches)
    }
    let new = try settings(1)
    #expect(try new.value(of: theme) == .light)
    _ = try new.live(theme)
    try new.add(1, to: launches)
    #expect(try new.store.vector(of: me).entries.count == 1)
    try old.store.pull(from: new.store, me)
    try new.store.pull(from: old.store, me)
    for each in [old, new] {
      #expect(try each.value(of: theme) == .dark)
      #expect(try each.value(of: size) == 20)
      #expect(try each.value(of: launches) == 5)
    }
    #expect(try old.store.digest(of: me) == new.store.digest(of: me))
  }

  @Test func `says why a value changed`() throws {
    let (a, b) = (try settings(0), try settings(1))
    let changes = Lock<[SettingsChange]>([])
    let readings = Lock<[SettingReading<Theme>]>([])
    let observations = [
      b.changes.observe { change in changes.withLock { $0.append(change) } },
      try b.live(theme).observe { reading in readings.withLock { $0.append(reading) } },
    ]
    try b.set(size, to: 9)
    try a.set(theme, to: .dark)
    #expect(!b.hasSynced)
    try b.store.pull(from: a.store, me)
    #expect(b.hasSynced)
    try a.set(theme, to: .light)
    try b.store.pull(from: a.store, me)
    try b.set(theme, to: .dark)
    try b.set(theme, to: .dark)
    try b.switchAccount(to: you)
    #expect(try b.value(of: theme) == .light)
    try b.set(size, to: 1)
    try b.switchAccount(to: me)
    #expect(try b.value(of: size) == 9)
    #expect(
      changes.withLock { $0 } == [
        SettingsChange(keys: ["size"], reason: .localWrite),
        SettingsChange(keys: ["theme"], reason: .firstSync),
        SettingsChange(keys: ["theme"], reason: .otherDevice),
        SettingsChange(keys: ["theme"], reason: .localWrite),
        SettingsChange(keys: ["theme", "size"], reason: .accountChange),
        SettingsChange(keys: ["size"], reason: .localWrite),
        SettingsChange(keys: ["theme", "size"], reason: .accountChange),
      ])
    #expect(
      readings.withLock { $0 } == [
        SettingReading(value: .light, reason: nil),
        SettingReading(value: .dark, reason: .firstSync),
        SettingReading(value: .light, reason: .otherDevice),
        SettingReading(value: .dark, reason: .localWrite),
        SettingReading(value: .light, reason: .accountChange),
        SettingReading(value: .dark, reason: .accountChange),
      ])
    for observation in observations { observation.cancel() }
  }

  @Test func `an app's model has no entity of the library's own numbers`() throws {
    for number in [SettingSlot.entity, Cell.fieldMax] {
      let model = Model(entities: [EntityDescription(number: number, name: "mine", fields: [])])
      #expect(isCode(.invalidModel) { _ = try folders[0].open(model) })
    }
  }

  @Test func `a group that fails sets nothing`() throws {
    let settings = try settings(0)
    #expect(
      isCode(.wrongType) {
        try settings.write { transaction in
          try transaction.set(theme, to: .dark)
          try transaction.remove(best)
        }
      })
    #expect(settings.keys.isEmpty)
    #expect(try settings.value(of: theme) == .light)
  }

  /// Readers report two rules in one record (docs/protocol.md 4.2).
  @Test func `another type or rule is an error that names the key`() throws {
    let (a, b) = (try settings(0), try settings(1))
    try a.set(size, to: 3)
    try b.store.pull(from: a.store, me)
    let wrong = [
      { try b.set(SettingKey("size", default: ""), to: "x") },
      { try b.set(SettingKey("size", default: 0, merge: .max), to: 4) },
      { try b.add(1, to: SettingKey("size", default: 0, merge: .counter)) },
      { _ = try b.value(of: SettingKey("size", default: 0.5)) },
      { _ = try b.value(of: SettingKey("size", default: Set<Int>(), merge: .union)) },
      { try b.add(1, to: size) },
    ]
    for body in wrong {
      do {
        try body()
        Issue.record("nothing was thrown")
      } catch {
        #expect((error as? StoreError)?.code == .wrongType)
        #expect("\(error)".contains("\"size\""))
      }
    }
    #expect(try b.value(of: size) == 3)
    #expect(try a.store.digest(of: me) == b.store.digest(of: me))
    try a.set(SettingKey("theme", default: ""), to: "sepia")
    #expect(try a.value(of: theme) == .light)
  }

  @Test func `values of up to a mebibyte stay whole, whoever writes a short one meanwhile`() throws
  {
    let text = SettingKey("text", default: "")
    let (a, b) = (try settings(0), try settings(1, .iCloud))
    let long = String(repeating: "é", count: SettingsLimits.valueBytesMax / 2)
    try a.set(text, to: long)
    try b.store.pull(from: a.store, me)
    #expect(try b.value(of: text) == long)
    #expect(b.usage.bytes == 1 << 20)
    try b.set(text, to: "short")
    try a.set(text, to: String(long.dropLast()))
    try a.store.pull(from: b.store, me)
    try b.store.pull(from: a.store, me)
    let stands = try a.value(of: text)
    #expect(stands == "short" || stands == String(long.dropLast()))
    #expect(try b.value(of: text) == stands)
    try a.set(text, to: "x")
    #expect(try a.value(of: text) == "x")
    #expect(a.usage.bytes == 1)
  }

  @Test func `ten thousand inputs out of limits are ten thousand errors with their numbers`() throws
  {
    let limits = SettingsLimits(bytesMax: 1000, keysMax: 8, keyBytesMax: 64)
    let settings = try settings(0, limits)
    for number in 0..<8 {
      try settings.set(
        SettingKey("k\(number)", default: ""), to: String(repeating: "x", count: 100))
    }
    let refused = Lock(0)
    let observation = settings.changes.observe { change in
      if change.reason == .overQuota { refused.withLock { $0 += 1 } }
    }
    let digest = try settings.store.digest(of: me)
    var random = Seeded(state: 3)
    var errors = 0
    for _ in 0..<10_000 {
      let name: String
      let byteCount: Int
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        (name, byteCount) = (
          String(repeating: "é", count: .random(in: 33...200, using: &random)), 1
        )
      case 1: (name, byteCount) = ("new\(Int.random(in: 0...9, using: &random))", 1)
      case 2:
        (name, byteCount) = (
          "k\(Int.random(in: 0...7, using: &random))", .random(in: 301...900, using: &random)
        )
      default: (name, byteCount) = ("", 1)
      }
      do {
        let key = SettingKey(name, default: "")
        try settings.set(key, to: String(repeating: "y", count: byteCount))
      } catch {
        let error = try #require(error as? StoreError)
        let isQuota =
          error.code == .overQuota && (error.quota.map { $0.used > $0.allowed } ?? false)
        if isQuota || error.code == .invalidKey && name.isEmpty { errors += 1 }
      }
    }
    #expect(errors == 10_000)
    #expect(try settings.store.digest(of: me) == digest)
    #expect(settings.usage == SettingsUsage(keys: 8, bytes: 800))
    #expect(refused.withLock { $0 } > 7000)
    try settings.set(SettingKey("k0", default: ""), to: String(repeating: "z", count: 300))
    #expect(settings.usage.bytes == 1000)
    #expect(
      isCode(.overQuota) {
        try settings.set(SettingKey("k1", default: ""), to: String(repeating: "z", count: 101))
      })
    observation.cancel()
  }

  @Test func `what devices wrote apart is kept, also beyond the limits`() throws {
    let limits = SettingsLimits(bytesMax: 100, keysMax: 10, keyBytesMax: 64)
    let (a, b) = (try settings(0, limits), try settings(1, limits))
    let (first, second) = (SettingKey("first", default: ""), SettingKey("second", default: ""))
    try a.set(first, to: String(repeating: "a", count: 80))
    try b.set(second, to: String(repeating: "b", count: 80))
    let reasons = Lock<[SettingsReason]>([])
    let observation = a.changes.observe { change in reasons.withLock { $0.append(change.reason) } }
    try a.store.pull(from: b.store, me)
    #expect(reasons.withLock { $0 } == [.firstSync, .overQuota])
    #expect(try a.value(of: first).count == 80 && a.value(of: second).count == 80)
    #expect(isCode(.overQuota) { try a.set(SettingKey("third", default: ""), to: "x") })
    try a.set(first, to: String(repeating: "a", count: 79))
    #expect(a.usage.bytes == 159)
    observation.cancel()
  }
}
