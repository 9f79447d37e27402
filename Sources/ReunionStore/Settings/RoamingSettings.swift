public import ReunionCore
import ReunionDisk
public import ReunionFlow

/// A person's settings: typed keys and values in a space of their own, which roam with it.
///
/// ```swift
/// enum Theme: String, FieldValue { case light, dark }
/// let theme = SettingKey("theme", default: Theme.light)
/// let settings = try RoamingSettings(store, account: space)
/// try settings.set(theme, to: .dark)
/// let watching = try settings.live(theme).observe { print($0.value, $0.reason as Any) }
/// print(try settings.value(of: theme))
/// watching.cancel()
/// ```
/// A default is never written, so that a new device overwrites nothing; what is written before the
/// first sync is a write like any and merges by the key's rule. Each account is a space: its values
/// stay in the store when another one is shown, and come back with it. Sync of the space is that of
/// any other.
///
/// *Thread*: any. *Durability* and *errors*: as `Store.write(in:_:)`. *Cost*: a read is a look-up;
/// each write is a commit and its sync, so that several belong into one `write`. *Lifetime*: it
/// follows the store while it is held; two of one account show the same.
public final class RoamingSettings: Sendable {
  /// What the settings may take up. They hold for writes of this object; what other devices write
  /// is taken in whatever it takes.
  public let limits: SettingsLimits

  private struct State {
    var account: SpaceID
    var ledger: SettingsLedger
    /// What commits have touched and is not looked at yet.
    var touched: Set<RecordID> = []
  }

  /// The store that holds them.
  public let store: Store
  private let state: Lock<State>
  private let rounds = Rounds()
  private let emitter = Emitter<SettingsChange>()
  private let subscription = Lock<SignalSubscription?>(nil)

  /// Shows an account's settings.
  ///
  /// - Parameters:
  ///   - store: the store that holds them; its model need not know of settings.
  ///   - account: the person's own space, with nothing else in it.
  ///   - limits: what they may take up.
  /// - Throws: where the store cannot be read. *Cost*: reads all settings once.
  public init(
    _ store: Store, account: SpaceID, limits: SettingsLimits = .standard
  ) throws {
    self.store = store
    self.limits = limits
    state = Lock(State(account: account, ledger: try Self.ledger(store, account)))
    let subscription = store.observeCommits { [weak self] commit in self?.follow(commit) }
    self.subscription.withLock { $0 = subscription }
    refresh()
  }

  /// The account whose settings are shown: the one of `switchAccount(to:)`, or of the beginning.
  public var account: SpaceID { state.withLock { $0.account } }

  /// The names of the keys that are set, by whichever app and device. A key that has its default is
  /// not there.
  public var keys: Set<String> { Set(state.withLock { $0.ledger.entries }.values.map(\.name)) }

  /// What is taken up, as of the last commit.
  public var usage: SettingsUsage { state.withLock { $0.ledger.usage } }

  /// Whether the account has been exchanged with another replica, here. Until then a default may be
  /// shown that another device has long changed.
  public var hasSynced: Bool { state.withLock { $0.ledger.hasSynced } }

  /// What changes, and why; a commit gives one change, or two where it brought several reasons.
  ///
  /// ```swift
  /// let settings = try RoamingSettings(store, account: space)
  /// let watching = settings.changes.observe { change in
  ///   print(change.reason, change.keys.sorted())
  /// }
  /// watching.cancel()
  /// ```
  /// *Thread*: that of the writer, after the commit. Nothing is repeated to who observes later.
  public var changes: Occurrences<SettingsChange> { emitter.occurrences }

  /// What a setting is: what was set, or the key's default. A value that this build cannot read,
  /// such as a newer app's case of an enum, shows as the default and stays.
  ///
  /// - Parameter key: which setting, of which type and rule.
  /// - Returns: the value.
  /// - Throws: `wrongType` where it was written with another type or rule: give the key a new name.
  ///   `closed`, `damaged`, `ioFailed`.
  public func value<Value>(of key: SettingKey<Value>) throws -> Value {
    try key.value(in: cells(key.name))
  }

  /// A setting's value, now and after each change, with the reason of that.
  ///
  /// *Lifetime*: the signal follows for as long as it, or an observation of it, lives. Where the
  /// setting cannot be read later, as after an app gave it another type, the value stays. After
  /// `switchAccount(to:)` it shows the other account's.
  /// - Parameter key: which setting.
  /// - Returns: the signal.
  /// - Throws: as `value(of:)`, for the first value alone.
  public func live<Value>(
    _ key: SettingKey<Value>
  ) throws -> Signal<SettingReading<Value>> {
    let reading = Variable(SettingReading(value: try value(of: key), reason: nil))
    let subscription = changes.observe { [weak self] change in
      guard change.keys.contains(key.name), change.reason != .overQuota,
        let value = try? self?.value(of: key)
      else { return }
      reading.value = SettingReading(value: value, reason: change.reason)
    }
    // What changed before the subscription began.
    let now = try value(of: key)
    if now.storedValue != reading.value.value.storedValue {
      reading.value = SettingReading(value: now, reason: nil)
    }
    return reading.signal.map { reading in withExtendedLifetime(subscription) { reading } }
  }

  /// Sets settings together: here and on every other device all of them are set, or none.
  ///
  /// ```swift
  /// let settings = try RoamingSettings(store, account: space)
  /// let launches = SettingKey("launches", default: 0, merge: .counter)
  /// let recent = SettingKey("recent", default: Set<String>(), merge: .union)
  /// try settings.write { transaction in
  ///   try transaction.add(1, to: launches)
  ///   try transaction.insert("harbour", into: recent)
  /// }
  /// ```
  /// *Thread*: the closure runs on the caller's, in a write of the store. *Durability*: on the disk
  /// when this returns.
  /// - Parameter body: what sets them.
  /// - Returns: what the closure returns.
  /// - Throws: what the closure throws; `overQuota`, with the numbers in `StoreError.quota` if
  ///   there is no room; else as `Store.write(in:_:)`. Nothing has changed then, and reads go on.
  ///   `changes` tells of `overQuota` too.
  @discardableResult
  public func write<Success>(
    _ body: (SettingsTransaction) throws -> Success
  ) throws -> Success {
    let names = SettingsTransaction.Names()
    do {
      return try store.write(in: account) { transaction in
        let success = try body(
          SettingsTransaction(transaction: transaction, limits: limits, names: names))
        try checkRoom(for: transaction)
        return success
      }
    } catch {
      if (error as? StoreError)?.code == .overQuota {
        emitter.send(SettingsChange(keys: names.all, reason: .overQuota))
      }
      throw error
    }
  }

  /// Shows another account's settings. This account's stay on the disk, and come back when you
  /// switch back.
  ///
  /// `changes` names the keys whose values differ between the two, with `accountChange`. *Cost*:
  /// reads all settings of the other account once.
  /// - Parameter account: the other person's own space.
  /// - Throws: where the store cannot be read; then the account stays.
  public func switchAccount(to account: SpaceID) throws {
    let ledger = try Self.ledger(store, account)
    let old = state.withLock { state in
      defer { state = State(account: account, ledger: ledger) }
      return state.ledger
    }
    let changed = Set(old.entries.values).symmetricDifference(ledger.entries.values)
    emitter.send(SettingsChange(keys: Set(changed.map(\.name)), reason: .accountChange))
    refresh()
  }

  // Following

  func cells(_ name: String) throws -> SettingCells {
    let record = SettingSlot.record(of: name)
    return SettingCells(try store.record(entity: record.entity, record.id, in: account))
  }

  private static func ledger(
    _ store: Store, _ account: SpaceID
  ) throws -> SettingsLedger {
    var ledger = SettingsLedger()
    _ = try store.readTransaction { (reader) throws(StoreError) in
      try ledger.catchUp(reader, account: account, device: store.device(in: account))
    }
    return ledger
  }

  private func follow(_ commit: Commit) {
    let isMine = state.withLock { state in
      guard commit.space == state.account else { return false }
      state.touched.formUnion(commit.touches.byEntity[SettingSlot.entity]?.records ?? [])
      return true
    }
    if isMine { refresh() }
  }

  private func refresh() {
    rounds.run {
      // Where it cannot be read, the next commit tries again.
      for change in (try? catchUp()) ?? [] { emitter.send(change) }
    }
  }

  private func catchUp() throws -> [SettingsChange] {
    return try store.readTransaction { (reader) throws(StoreError) in
      try state.withLock { (state) throws(StoreError) in
        let (hadSynced, before) = (state.ledger.hasSynced, state.ledger.usage)
        let changed = try state.ledger.catchUp(
          reader, account: state.account, device: store.device(in: state.account),
          touched: state.touched)
        state.touched = []
        let isFirst = !hadSynced && state.ledger.hasSynced
        var changes: [SettingsChange] = []
        if !changed.own.isEmpty {
          changes.append(SettingsChange(keys: changed.own, reason: .localWrite))
        }
        if !changed.others.isEmpty || isFirst {
          changes.append(
            SettingsChange(keys: changed.others, reason: isFirst ? .firstSync : .otherDevice))
        }
        let isOver = { (usage: SettingsUsage) in
          usage.bytes > self.limits.bytesMax || usage.keys > self.limits.keysMax
        }
        if isOver(state.ledger.usage), !isOver(before) {
          changes.append(SettingsChange(keys: [], reason: .overQuota))
        }
        return changes
      }
    }
  }

  /// Throws where a transaction adds what there is no room for.
  private func checkRoom(for transaction: WriteTransaction) throws {
    var (account, ledger) = state.withLock { ($0.account, $0.ledger) }
    _ = try ledger.catchUp(
      transaction.records.reader, account: account, device: store.device(in: account))
    let before = ledger.usage
    var settings: [(RecordID, SettingCells)] = []
    for record in transaction.pending where record.key.entity == SettingSlot.entity {
      settings.append((record.key.id, SettingCells(try transaction.staged(record.key))))
    }
    let after = ledger.usage(with: settings)
    if after.bytes > limits.bytesMax, after.bytes > before.bytes {
      throw StoreError(
        .overQuota,
        "Settings of \(after.bytes) bytes exceed the limit of \(limits.bytesMax): remove some.",
        quota: StoreQuota(used: after.bytes, allowed: limits.bytesMax))
    }
    if after.keys > limits.keysMax, after.keys > before.keys {
      throw StoreError(
        .overQuota,
        "\(after.keys) settings exceed the limit of \(limits.keysMax): remove some.",
        quota: StoreQuota(used: after.keys, allowed: limits.keysMax))
    }
  }
}
