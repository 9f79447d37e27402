import ReunionCore

/// What this device shows, and what of it is still to be told.
struct OwnPresence {
  /// The most messages that wait for their turn; older ones are lost.
  private static let messagesMax = 64

  private var shown: [[UInt8]: Value] = [:]
  private var changed: Set<[UInt8]> = []
  private var messages: [PresenceEntry] = []

  /// Whether there is something to tell.
  var isStirred: Bool { !changed.isEmpty || !messages.isEmpty }

  /// All that is shown.
  var whole: PresenceUpdate {
    PresenceUpdate(shown.map { PresenceEntry(key: $0, value: $1) }, isWhole: true)
  }

  /// Sets or ends what is shown under a key. Returns false if that would be one key too many.
  mutating func show(_ value: Value, as key: [UInt8]) -> Bool {
    let isNone = value == .null
    guard isNone || shown[key] != nil || shown.count < Presence.keysMax else { return false }
    guard shown[key] ?? .null != value else { return true }
    shown[key] = isNone ? nil : value
    changed.insert(key)
    return true
  }

  /// Says something once.
  mutating func send(_ value: Value, as key: [UInt8]) {
    if messages.count == Self.messagesMax { messages.removeFirst() }
    messages.append(PresenceEntry(key: key, isMessage: true, value: value))
  }

  /// What changed since the last time.
  mutating func news() -> PresenceUpdate {
    defer { (changed, messages) = ([], []) }
    let values = changed.map { PresenceEntry(key: $0, value: shown[$0] ?? .null) }
    return PresenceUpdate(values + messages).endsFirst
  }
}
