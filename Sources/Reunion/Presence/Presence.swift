public import ReunionCore
public import ReunionFlow
public import ReunionStore
package import ReunionSync

/// What the devices that are connected in a space show each other: who is here, where a finger is, who
/// types.
///
/// ```swift
/// let presence = replica.presence(in: space)
/// try presence.show("Mia", as: "name")
/// try presence.show(3.5, as: "finger")
/// let watching = presence.others.observe { devices in
///   for device in devices { print(device.value("name", as: String.self) ?? "somebody") }
/// }
/// try presence.send("🎉", as: "cheer")
/// ```
///
/// Nothing of it is stored, here or on the server, and nothing counts as a change. What a device shows
/// is seen by those that are connected at the same time, through the server that they sync with or
/// directly, about thirty times a second at most. It is gone when its connection is: at once if the
/// link is closed, and within 15 s if it fell silent.
///
/// Without a connection, what others show is empty; what this device shows stays with this object and
/// is told when it is online again. A device that shows more than 60 things a second is heard later, and
/// of each key the latest alone; a value of over 256 bytes counts as several.
///
/// Anybody who may join a space may show anything in it: treat it as you treat what strangers write.
/// *Thread*: any. *Lifetime*: the replica keeps it.
public final class Presence: Sendable {
  /// A device and what it shows.
  public struct Device: Hashable, Sendable, Identifiable {
    /// Its number in the space, as `Conflict.device` and records name it.
    public let id: UInt64
    /// What it shows, by key.
    public let values: [String: Value]

    /// What it shows under a key; nil for nothing, or where that is of another type.
    public func value<V: FieldValue>(_ key: String, as type: V.Type = V.self) -> V? {
      values[key].flatMap { V(storedValue: $0) }
    }
  }

  /// Something that a device sent once.
  public struct Message: Hashable, Sendable {
    /// The number of the device that sent it.
    public let device: UInt64
    /// Its key.
    public let key: String
    /// What it says.
    public let value: Value
  }

  /// The most values that a device shows at once.
  public static let keysMax = PresenceEntry.keysMax
  /// The most bytes of a key in UTF-8, and of a value.
  public static let (keyBytesMax, valueBytesMax) = (
    PresenceEntry.keyBytesMax, PresenceEntry.valueBytesMax
  )

  private struct State {
    /// Whether the app has asked for it: until then nothing is shown and nothing heard.
    var isWanted = false
    var own = OwnPresence()
    var heard: [ObjectIdentifier: HeardPresence] = [:]
    var sessions: [ObjectIdentifier: Session] = [:]
    /// The sessions to which all has to be told, since their links were slow.
    var behind: Set<ObjectIdentifier> = []
    var due: Countdown?
    var told: Moment?
  }

  private static let pause = Duration.milliseconds(33)

  private let clock: any FlowClock
  private let execute: Session.Executor
  private let state = Lock(State())
  private let othersNode = Variable<[Device]>([])
  private let emitter = Emitter<Message>()

  package init(clock: any FlowClock, execute: @escaping Session.Executor) {
    self.clock = clock
    self.execute = execute
  }

  /// The other devices that show something, in the order of their numbers.
  public var others: Signal<[Device]> { othersNode.signal.distinct() }

  /// What other devices send, once each, to who observes it at that moment.
  public var messages: Occurrences<Message> { emitter.occurrences }

  /// Shows a value under a key in place of the one before. A value that is none, as an optional may be,
  /// hides the key.
  ///
  /// It returns at once, and goes out with what else changes within 33 ms.
  /// - Throws: `StoreError` `valueTooLarge` for a value of over 1 KiB, a key of over 64 bytes and a
  ///   seventeenth key; then what was shown stays.
  public func show<V: FieldValue>(_ value: V, as key: String) throws(StoreError) {
    let value = value.storedValue
    try Self.check(key, value)
    let isRoom = state.withLock { $0.own.show(value, as: Array(key.utf8)) }
    guard isRoom else {
      throw StoreError(
        .valueTooLarge, "A device shows at most \(Self.keysMax) values at once: hide one first.")
    }
    stir()
  }

  /// Shows nothing under a key any more.
  public func hide(_ key: String) {
    _ = state.withLock { $0.own.show(.null, as: Array(key.utf8)) }
    stir()
  }

  /// Sends something once, to those who are connected now; without a connection it is lost.
  ///
  /// - Throws: as `show(_:as:)`.
  public func send<V: FieldValue>(_ value: V, as key: String) throws(StoreError) {
    try Self.check(key, value.storedValue)
    let isHeard = state.withLock { state in
      guard !state.sessions.isEmpty else { return false }
      state.own.send(value.storedValue, as: Array(key.utf8))
      return true
    }
    if isHeard { stir() }
  }

  private static func check(_ key: String, _ value: Value) throws(StoreError) {
    guard !key.isEmpty, key.utf8.count <= keyBytesMax else {
      throw StoreError(
        .valueTooLarge, "A key of what a device shows has 1 to \(keyBytesMax) bytes.")
    }
    guard value.bytes.count <= valueBytesMax else {
      throw StoreError(
        .valueTooLarge,
        "What a device shows has at most \(valueBytesMax) bytes: keep larger things in a record.")
    }
  }

  /// What a session does with it; `peer` is the device at its other end where that speaks for itself
  /// alone, and is no server.
  package func tap(of peer: UInt64?) -> PresenceTap {
    PresenceTap(
      began: { [weak self] in self?.begin($0) },
      heard: { [weak self] in self?.hear($1, from: $0, peer) },
      // A session may end on another thread than its own.
      ended: { [weak self] session in
        guard let self else { return }
        execute { self.end(session) }
      })
  }

  /// Has it used from now on, also by the sessions that are there.
  package func want() {
    let sessions = state.withLock { state in
      defer { state.isWanted = true }
      return state.isWanted ? [] : Array(state.sessions.values)
    }
    for session in sessions {
      execute {
        // It may have ended before its turn came.
        guard self.state.withLock({ $0.sessions[ObjectIdentifier(session)] != nil }) else { return }
        self.begin(session)
      }
    }
  }

  private func begin(_ session: Session) {
    let key = ObjectIdentifier(session)
    let whole = state.withLock { state in
      state.sessions[key] = session
      return state.isWanted ? state.own.whole : nil
    }
    // Whoever tells all that it shows, though it be nothing, is told what others show.
    guard let whole else { return }
    if !session.show(whole.messages.map { $0.encoded() }) {
      state.withLock { _ = $0.behind.insert(key) }
      stir()
    }
  }

  private func hear(_ update: PresenceUpdate, from session: Session, _ peer: UInt64?) {
    let key = ObjectIdentifier(session)
    // A peer may tell all before this side begins.
    let messages = state.withLock { state in
      state.heard[key, default: HeardPresence()].take(update, from: peer)
    }
    tell()
    for message in messages { emitter.send(message) }
  }

  private func end(_ session: Session) {
    let key = ObjectIdentifier(session)
    state.withLock { state in
      state.sessions[key] = nil
      state.heard[key] = nil
      state.behind.remove(key)
    }
    tell()
  }

  private func tell() {
    let heard = state.withLock { Array($0.heard.values) }
    let devices = heard.reduce(into: [UInt64: [String: Value]]()) { devices, heard in
      devices.merge(heard.devices) { $0.merging($1) { _, later in later } }
    }
    othersNode.value = devices.sorted { $0.key < $1.key }.map { Device(id: $0, values: $1) }
  }

  /// Has what changed go out, no sooner than 33 ms after the last time.
  private func stir() {
    let now = clock.now
    state.withLock { state in
      guard state.due == nil, state.own.isStirred || !state.behind.isEmpty else { return }
      let wait = state.told.map { Self.pause - $0.duration(to: now) } ?? .zero
      state.due = Countdown(after: max(wait, .zero), clock: clock) { [weak self, execute] in
        guard let self else { return }
        execute { self.goOut() }
      }
    }
  }

  private func goOut() {
    let now = clock.now
    let (update, whole, sessions, behind) = state.withLock { state in
      (state.due, state.told) = (nil, now)
      return (state.own.news(), state.own.whole, state.sessions, state.behind)
    }
    let bytes = update.messages.map { $0.encoded() }
    for (key, session) in sessions {
      let isBehind = behind.contains(key)
      guard isBehind || !update.entries.isEmpty else { continue }
      let isSent = session.show(isBehind ? whole.messages.map { $0.encoded() } : bytes)
      guard isSent == isBehind else { continue }
      state.withLock { state in
        if isSent { state.behind.remove(key) } else { state.behind.insert(key) }
      }
    }
    stir()
  }
}
