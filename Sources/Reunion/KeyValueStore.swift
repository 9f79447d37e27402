public import Foundation
import ReunionCore
public import ReunionFlow
public import ReunionStore

/// Settings under the method names of Apple's `NSUbiquitousKeyValueStore`, for code that comes from
/// there.
///
/// ```swift
/// let store = try replica.settings(of: replica.ownSpace()).keyValueStore()
/// store.set("dark", forKey: "theme")
/// let failures = store.errors.observe { print("Not kept: \($0)") }
/// print(store.string(forKey: "theme") ?? "light", store.longLong(forKey: "starts"))
/// ```
/// It is a view of its settings: both show the same values. Every key follows the rule `latest`. A
/// write is on the disk when its method returns, or it failed. Then `errors` says why, and if there
/// was no room, the notification says so too. Typed keys, other rules, groups and thrown errors are
/// in `RoamingSettings`. A key that was written there under another rule reads as not set here, and
/// `errors` says `wrongType`.
///
/// *Thread*: any; the notification is posted on the writer's. *Cost*: a write is one commit and its
/// sync, so write what belongs together by `RoamingSettings.write`. *Limits*: those of the
/// settings, by default 64 MiB, 65,536 keys and names of 255 bytes; a value has at most 1 MiB.
/// *Source*: Apple, NSUbiquitousKeyValueStore.
public final class KeyValueStore: Sendable {
  /// Posted when values changed other than by this device's writes, or a write found no room; the
  /// object is the store.
  public static let didChangeExternallyNotification = Notification.Name(
    "ReunionKeyValueStoreDidChangeExternally")
  /// The key of a notification's reason, an `Int`: one of those below.
  public static let changeReasonKey = "ReunionKeyValueStoreChangeReason"
  /// The key of the names whose values changed, a `[String]` in their order.
  public static let changedKeysKey = "ReunionKeyValueStoreChangedKeys"
  /// Another device wrote.
  public static let serverChange = 0
  /// The first exchange of the account is over.
  public static let initialSyncChange = 1
  /// There is no room: a write was refused, of the keys that are named. Where no key is named, what
  /// devices wrote apart takes more than there is.
  public static let quotaViolationChange = 2
  /// Another account's values are shown.
  public static let accountChange = 3

  private let settings: RoamingSettings
  private let subscription = Lock<SignalSubscription?>(nil)
  private let emitter = Emitter<any Error>()

  fileprivate init(_ settings: RoamingSettings) {
    self.settings = settings
    let subscription = settings.changes.observe { [weak self] change in self?.post(change) }
    self.subscription.withLock { $0 = subscription }
  }

  /// What went wrong in methods that cannot throw: a `StoreError` such as `overQuota`, `diskFull`,
  /// `wrongType` or `closed`. Of a write nothing was kept then, and a read returned nil, 0 or
  /// false.
  ///
  /// Observe it once, at the start: nothing is repeated.
  public var errors: Occurrences<any Error> { emitter.occurrences }

  /// Does nothing and returns true, since every write is on the disk. It asks no server: what is
  /// sent is decided by the connection of the settings' space.
  @discardableResult
  public func synchronize() -> Bool { true }

  /// All values that are set. *Cost*: a look-up a key.
  public var dictionaryRepresentation: [String: Any] {
    var values: [String: Any] = [:]
    for name in settings.keys { values[name] = object(forKey: name) }
    return values
  }

  // Values

  func stored(_ name: String) -> Value? {
    do {
      let value = try settings.value(of: AnySetting.key(name)).storedValue
      return value == .null ? nil : value
    } catch {
      emitter.send(error)
      return nil
    }
  }

  func store(_ value: Value?, _ name: String) {
    do {
      let key = AnySetting.key(name)
      try settings.write { transaction in
        if let value {
          try transaction.set(key, to: AnySetting(storedValue: value))
        } else {
          try transaction.remove(key)
        }
      }
    } catch {
      emitter.send(error)
    }
  }

  func refuse(_ error: any Error) { emitter.send(error) }

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

extension RoamingSettings {
  /// These settings under the names of Apple's key-value store; make it once, and keep it while you
  /// observe its notifications or `errors`.
  ///
  /// Each call makes another object, and each posts its own notifications.
  public func keyValueStore() -> KeyValueStore { KeyValueStore(self) }
}
