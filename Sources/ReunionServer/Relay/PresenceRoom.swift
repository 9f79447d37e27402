import ReunionCore
import ReunionFlow

/// Where a device shows a value.
struct PresenceSpot: Hashable {
  let device: UInt64
  let key: [UInt8]
}

extension PresenceSpot {
  init(_ entry: PresenceEntry) { self.init(device: entry.device, key: entry.key) }
}

/// What the devices of a space show each other while they are connected. Nothing of it is kept.
///
/// Pure: who is there and what they say comes in with the time, and `tick` says what to tell. A device
/// that says more than it may is heard later, with the latest of each key alone.
struct PresenceRoom<Listener: Hashable> {
  /// The most that is heard of a device in a second; one with a large value counts for several.
  static var entriesASecond: Int { 60 }
  /// The bytes of a value that count as one.
  static var bytesAnEntry: Int { 256 }

  private struct Name: Hashable {
    let key: [UInt8]
    let isMessage: Bool
  }

  /// What a device may still say at a moment.
  private struct Share {
    var left = Double(PresenceRoom.entriesASecond)
    var at: Moment

    /// Whether nothing is missing from it.
    func isWhole(at now: Moment) -> Bool { at.duration(to: now) >= .seconds(1) }

    mutating func spend(_ entry: PresenceEntry, at now: Moment) -> Bool {
      let most = Double(PresenceRoom.entriesASecond)
      left = min(most, left + max(0, at.duration(to: now) / .seconds(1)) * most)
      at = now
      let cost = Double(1 + entry.value.bytes.count / PresenceRoom.bytesAnEntry)
      guard left >= cost else { return false }
      left -= cost
      return true
    }
  }

  private struct Speaker {
    /// What each of its programs shows under a key; the last one's is seen.
    var shown: [[UInt8]: [(by: Listener, value: Value)]] = [:]
    /// What is over its share, the latest of each name, in the order in which the names came.
    var waiting: [(name: Name, entry: PresenceEntry, by: Listener)] = []

    func seen(_ key: [UInt8]) -> Value? { shown[key]?.last?.value }

    mutating func show(_ value: Value?, as key: [UInt8], by listener: Listener) {
      var values = shown[key] ?? []
      values.removeAll { $0.by == listener }
      if let value { values.append((listener, value)) }
      shown[key] = values.isEmpty ? nil : values
    }
  }

  private(set) var listeners: [Listener: UInt64] = [:]
  private var speakers: [UInt64: Speaker] = [:]
  /// What devices may still say, also of those who have left just now.
  private var shares: [UInt64: Share] = [:]
  /// The devices that said more than they may.
  private var late: Set<UInt64> = []
  /// What changed since the last tick.
  private var changed: Set<PresenceSpot> = []
  private var messages: [PresenceEntry] = []

  /// Whether there is something to tell, now or when a share has grown.
  var isStirred: Bool { !changed.isEmpty || !messages.isEmpty || !late.isEmpty }

  /// Takes somebody in who hears what others show, and shows nothing yet.
  mutating func come(_ listener: Listener, device: UInt64) {
    if listeners[listener] == device { clear(listener, of: device) }
    listeners[listener] = device
  }

  /// All that others show than a device.
  func whole(for device: UInt64) -> PresenceUpdate {
    var entries: [PresenceEntry] = []
    for (speaker, state) in speakers where speaker != device {
      for key in state.shown.keys {
        if let value = state.seen(key) {
          entries.append(PresenceEntry(device: speaker, key: key, value: value))
        }
      }
    }
    return PresenceUpdate(entries, isWhole: true)
  }

  /// Hears what a device shows, once it is in. What ends makes room for what begins.
  mutating func take(_ update: PresenceUpdate, from listener: Listener, at now: Moment) {
    guard let device = listeners[listener] else { return }
    var speaker = speakers.removeValue(forKey: device) ?? Speaker()
    var share = shares[device] ?? Share(at: now)
    for entry in update.endsFirst.entries {
      var entry = entry
      entry.device = device
      let name = Name(key: entry.key, isMessage: entry.isMessage)
      if let place = speaker.waiting.firstIndex(where: { $0.name == name }) {
        speaker.waiting[place] = (name, entry, listener)
      } else if speaker.waiting.isEmpty, share.spend(entry, at: now) {
        take(entry, from: listener, &speaker)
      } else if speaker.waiting.count < 2 * PresenceEntry.keysMax {
        speaker.waiting.append((name, entry, listener))
      }
    }
    shares[device] = share
    keep(speaker, of: device)
  }

  /// Lets somebody go, and what only they showed.
  mutating func leave(_ listener: Listener, at now: Moment) {
    guard let device = listeners.removeValue(forKey: listener) else { return }
    clear(listener, of: device)
    let present = Set(listeners.values)
    shares = shares.filter { present.contains($0.key) || !$0.value.isWhole(at: now) }
  }

  /// What to tell everybody of what changed, what ended first: each device hears it but for what it showed
  /// itself. Nil where nothing did.
  mutating func tick(at now: Moment) -> PresenceUpdate? {
    for device in late {
      guard var speaker = speakers.removeValue(forKey: device) else { continue }
      var share = shares[device] ?? Share(at: now)
      while let next = speaker.waiting.first, share.spend(next.entry, at: now) {
        speaker.waiting.removeFirst()
        take(next.entry, from: next.by, &speaker)
      }
      shares[device] = share
      keep(speaker, of: device)
    }
    guard !changed.isEmpty || !messages.isEmpty else { return nil }
    let values = changed.map { spot in
      PresenceEntry(
        device: spot.device, key: spot.key, value: speakers[spot.device]?.seen(spot.key) ?? .null)
    }
    defer { (changed, messages) = ([], []) }
    return PresenceUpdate(values + messages).endsFirst
  }

  private mutating func take(
    _ entry: PresenceEntry, from listener: Listener, _ speaker: inout Speaker
  ) {
    guard !entry.isMessage else { return messages.append(entry) }
    let seen = speaker.seen(entry.key)
    let isNone = entry.value == .null
    guard isNone || seen != nil || speaker.shown.count < PresenceEntry.keysMax else { return }
    speaker.show(isNone ? nil : entry.value, as: entry.key, by: listener)
    if seen != speaker.seen(entry.key) {
      changed.insert(PresenceSpot(entry))
    }
  }

  /// Ends what somebody shows, and drops what they said and was not heard.
  private mutating func clear(_ listener: Listener, of device: UInt64) {
    guard var speaker = speakers.removeValue(forKey: device) else { return }
    for key in Array(speaker.shown.keys) {
      let seen = speaker.seen(key)
      speaker.show(nil, as: key, by: listener)
      if seen != speaker.seen(key) { changed.insert(PresenceSpot(device: device, key: key)) }
    }
    speaker.waiting.removeAll { $0.by == listener }
    keep(speaker, of: device)
  }

  private mutating func keep(_ speaker: Speaker, of device: UInt64) {
    if speaker.waiting.isEmpty { late.remove(device) } else { late.insert(device) }
    speakers[device] = speaker.shown.isEmpty && speaker.waiting.isEmpty ? nil : speaker
  }
}
