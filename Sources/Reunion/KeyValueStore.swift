public import Foundation
import ReunionCore
public import ReunionFlow
public import ReunionStore

/// Settings under the method names of Apple's `NSUbiquitousKeyValueStore`: to move code over, change
/// that one name.
///
/// ```swift
/// try KeyValueStore.default.attach(RoamingSettings(replica.store, account: me))
/// KeyValueStore.default.set("dark", forKey: "theme")
/// ```
/// Every key follows the rule `latest`. A write is on the disk when its method returns, or it failed:
/// then `errors` says why, and if there was no room, the notification says so too. Typed keys, other
/// rules, groups and thrown errors are in `RoamingSettings`; both show the same values.
///
/// *Thread*: any; the notification is posted on the writer's.
public final class KeyValueStore: Sendable {
  /// The store of the app. What is set before settings are attached is kept in memory until then.
  public static let `default` = KeyValueStore()

  /// Posted when values changed other than by this device's writes; the object is the store.
  public static let didChangeExternallyNotification = Notification.Name(
    "ReunionKeyValueStoreDidChangeExternally")
  /// The key of a notification's reason, an `Int`: one of those below.
  public static let changeReasonKey = "ReunionKeyValueStoreChangeReason"
  /// The key of the names whose values changed, a `[String]`.
  public static let changedKeysKey = "ReunionKeyValueStoreChangedKeys"
  /// Another device wrote.
  public static let serverChange = 0
  /// The first exchange of the account is over.
  public static let initialSyncChange = 1
  /// There is no room: a write was refused.
  public static let quotaViolationChange = 2
  /// Another account's values are shown.
  public static let accountChange = 3

  private struct State {
    var settings: RoamingSettings?
    var subscription: SignalSubscription?
    /// What was set before settings were attached; null is a removal.
    var waiting: [String: Value] = [:]
  }

  private let state = Lock(State())
  private let emitter = Emitter<any Error>()

  /// Makes a store that keeps its values in memory until settings are attached.
  public init() {}

  /// Makes a store of settings.
  public convenience init(_ settings: RoamingSettings) throws {
    self.init()
    try attach(settings)
  }

  /// Shows these settings from now on, and writes what was set before.
  public func attach(_ settings: RoamingSettings) throws {
    let written = state.withLock { $0.waiting }
    try settings.write { try Self.write(written, $0) }
    let subscription = settings.changes.observe { [weak self] change in self?.post(change) }
    let (old, late) = state.withLock { state in
      defer { state = State(settings: settings, subscription: subscription) }
      return (state.subscription, state.waiting.filter { written[$0.key] != $0.value })
    }
    old?.cancel()
    // What was set while this went on.
    if !late.isEmpty { try settings.write { try Self.write(late, $0) } }
  }

  /// What went wrong in methods that cannot throw.
  public var errors: Occurrences<any Error> { emitter.occurrences }

  /// Whether settings are attached; there is nothing to write out, since every write is on the disk.
  @discardableResult
  public func synchronize() -> Bool { state.withLock { $0.settings != nil } }

  /// All values that are set.
  public var dictionaryRepresentation: [String: Any] {
    var values: [String: Any] = [:]
    let (settings, waiting) = state.withLock { ($0.settings, $0.waiting) }
    for name in (settings?.keys ?? []).union(waiting.keys) { values[name] = object(forKey: name) }
    return values
  }

  // Values

  func stored(_ name: String) -> Value? {
    let (settings, waiting) = state.withLock { ($0.settings, $0.waiting[name]) }
    do {
      let value = try waiting ?? settings?.value(of: AnySetting.key(name)).storedValue
      return value == .null ? nil : value
    } catch {
      emitter.send(error)
      return nil
    }
  }

  func store(_ value: Value?, _ name: String) {
    let settings = state.withLock { state in
      if state.settings == nil { state.waiting[name] = value ?? .null }
      return state.settings
    }
    do {
      try settings?.write { try Self.write(value ?? .null, name, $0) }
    } catch {
      emitter.send(error)
    }
  }

  func refuse(_ error: any Error) { emitter.send(error) }

  private static func write(
    _ values: [String: Value], _ transaction: SettingsTransaction
  ) throws {
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      try write(value, name, transaction)
    }
  }

  private static func write(
    _ value: Value, _ name: String, _ transaction: SettingsTransaction
  ) throws {
    let key = AnySetting.key(name)
    if value == .null {
      try transaction.remove(key)
    } else {
      try transaction.set(key, to: AnySetting(storedValue: value))
    }
  }

  private func post(_ change: SettingsChange) {
    let reason: Int
    switch change.reason {
    case .localWrite: return
    case .otherDevice: reason = Self.serverChange
    case .firstSync: reason = Self.initialSyncChange
    case .overQuota: reason = Self.quotaViolationChange
    case .accountChange: reason = Self.accountChange
    }
    NotificationCenter.default.post(
      name: Self.didChangeExternallyNotification, object: self,
      userInfo: [Self.changeReasonKey: reason, Self.changedKeysKey: change.keys.sorted()])
  }
}
