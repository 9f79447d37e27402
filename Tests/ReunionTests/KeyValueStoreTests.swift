import Foundation
import Reunion
import ReunionFlow
import ReunionStore
import Testing

@Suite struct KeyValueStoreTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "kv-\(UUID())")
  private let account = SpaceID(high: 1, low: 1)

  private func settings(_ name: String = "a") throws -> RoamingSettings {
    let store = try Store.open(
      folder: folder.appending(path: name).path, model: Model(entities: []))
    return try RoamingSettings(store, account: account, limits: .iCloud)
  }

  @Test func `keeps every type of Apple's store, over a new opening too`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    var settings = try settings()
    var store = settings.keyValueStore()
    store.set("text", forKey: "string")
    store.set(true, forKey: "bool")
    store.set(Int64.max, forKey: "number")
    store.set(2.5, forKey: "double")
    store.set(Data([1, 2]), forKey: "data")
    store.set(["a", 1, ["b": true]] as [Any], forKey: "array")
    store.set(["x": 1.5, "y": ["z"]] as [String: Any], forKey: "dictionary")
    store.set(Date(timeIntervalSince1970: 5) as Any, forKey: "date")
    store.set(UInt8(7) as Any, forKey: "small")
    store.set("gone", forKey: "removed")
    store.removeObject(forKey: "removed")
    #expect(store.synchronize())
    try settings.store.close()
    settings = try self.settings()
    store = settings.keyValueStore()
    #expect(store.string(forKey: "string") == "text")
    #expect(store.bool(forKey: "bool") && store.longLong(forKey: "bool") == 1)
    #expect(store.longLong(forKey: "number") == .max)
    #expect(store.double(forKey: "double") == 2.5 && store.longLong(forKey: "double") == 2)
    #expect(store.data(forKey: "data") == Data([1, 2]))
    let array = try #require(store.array(forKey: "array"))
    #expect(array.count == 3 && array[0] as? String == "a")
    #expect((array[2] as? [String: Any])?["b"] as? Bool == true)
    #expect(store.dictionary(forKey: "dictionary")?["x"] as? Double == 1.5)
    #expect(store.object(forKey: "date") as? Date == Date(timeIntervalSince1970: 5))
    #expect(store.longLong(forKey: "small") == 7)
    #expect(store.object(forKey: "removed") == nil && store.string(forKey: "number") == nil)
    #expect(store.longLong(forKey: "nothing") == 0 && !store.bool(forKey: "nothing"))
    #expect(store.dictionaryRepresentation.count == 9)
    #expect(try settings.value(of: SettingKey("string", default: "")) == "text")
  }

  @Test func `tells what changed from elsewhere, and why; and what was refused`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (a, b) = (try settings("a"), try settings("b"))
    let store = b.keyValueStore()
    let seen = Lock<[String]>([])
    let errors = Lock(0)
    let token = NotificationCenter.default.addObserver(
      forName: KeyValueStore.didChangeExternallyNotification, object: store, queue: nil
    ) { notification in
      let reason = notification.userInfo?[KeyValueStore.changeReasonKey] as? Int ?? -1
      let keys = notification.userInfo?[KeyValueStore.changedKeysKey] as? [String] ?? []
      let names = [
        KeyValueStore.serverChange: "server", KeyValueStore.initialSyncChange: "initial",
        KeyValueStore.quotaViolationChange: "quota", KeyValueStore.accountChange: "account",
      ]
      seen.withLock { $0.append("\(names[reason] ?? "-") \(keys.joined(separator: ","))") }
    }
    let observation = store.errors.observe { _ in errors.withLock { $0 += 1 } }
    store.set("mine", forKey: "local")
    try a.set(SettingKey("theme", default: ""), to: "dark")
    try b.store.pull(from: a.store, in: account)
    try a.set(SettingKey("theme", default: ""), to: "light")
    try b.store.pull(from: a.store, in: account)
    store.set(Data(count: (1 << 20) + 1), forKey: "large")
    store.set("x", forKey: String(repeating: "k", count: 65))
    store.set([Self.self] as [Any], forKey: "foreign")
    try b.switchAccount(to: SpaceID(high: 9, low: 9))
    let long = String(repeating: "k", count: 65)
    #expect(
      seen.withLock { $0 } == [
        "initial theme", "server theme", "quota large", "quota \(long)", "account local,theme",
      ])
    #expect(errors.withLock { $0 } == 3)
    #expect(store.string(forKey: "local") == nil)
    NotificationCenter.default.removeObserver(token)
    observation.cancel()
  }
}
