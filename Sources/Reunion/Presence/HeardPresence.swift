import ReunionCore

/// What the other side of a session says that devices show; it may say anything.
struct HeardPresence {
  /// The most devices of which something is kept.
  private static let devicesMax = 4096

  /// What each device shows, by the bytes of its keys: two that differ may be one as a text.
  private var shown: [UInt64: [[UInt8]: Value]] = [:]

  /// What each device shows, by key.
  var devices: [UInt64: [String: Value]] {
    shown.mapValues { values in
      Dictionary(values.map { (Self.text($0), $1) }) { one, _ in one }
    }
  }

  /// Takes an update, of one device alone where the other side is that device; returns what was said once.
  mutating func take(_ update: PresenceUpdate, from peer: UInt64?) -> [Presence.Message] {
    if update.isWhole { shown = [:] }
    var messages: [Presence.Message] = []
    for entry in update.entries {
      let device = peer ?? entry.device
      if entry.isMessage {
        messages.append(
          Presence.Message(device: device, key: Self.text(entry.key), value: entry.value))
      } else {
        show(entry.value, as: entry.key, by: device)
      }
    }
    return messages
  }

  private mutating func show(_ value: Value, as key: [UInt8], by device: UInt64) {
    var values = shown[device] ?? [:]
    guard !values.isEmpty || shown.count < Self.devicesMax else { return }
    guard values[key] != nil || values.count < Presence.keysMax else { return }
    values[key] = value == .null ? nil : value
    shown[device] = values.isEmpty ? nil : values
  }

  private static func text(_ key: [UInt8]) -> String { String(decoding: key, as: UTF8.self) }
}
