/// What devices show each other while they are connected, and nobody keeps.
package struct PresenceUpdate: Hashable, Sendable {
  /// Whether what was told before is over, but for what stands here.
  package var isWhole: Bool
  /// What is shown, in the order in which it came.
  package var entries: [PresenceEntry]

  /// The type of its message.
  package static let type: UInt8 = 20
  /// The size at which one message ends and the next begins.
  static let bytesSoftMax = 16 * 1024
  /// The most entries of a message.
  static let entriesMax = 256

  /// Makes an update; by default of what changed.
  package init(_ entries: [PresenceEntry], isWhole: Bool = false) {
    self.entries = entries
    self.isWhole = isWhole
  }

  /// The messages that tell it: the first alone says that it is whole.
  package var messages: [Message] {
    var parts = [PresenceUpdate([], isWhole: isWhole)]
    var byteCount = 0
    for entry in entries {
      if byteCount > Self.bytesSoftMax || parts[parts.count - 1].entries.count == Self.entriesMax {
        parts.append(PresenceUpdate([]))
        byteCount = 0
      }
      parts[parts.count - 1].entries.append(entry)
      byteCount += PresenceEntry.bytesMin + entry.key.count + entry.value.bytes.count
    }
    return parts.map { .presence($0) }
  }

  /// The same, with what ends before what begins: it makes room for it.
  package var endsFirst: PresenceUpdate {
    let isEnd = { (entry: PresenceEntry) in !entry.isMessage && entry.value == .null }
    return PresenceUpdate(
      entries.filter(isEnd) + entries.filter { !isEnd($0) }, isWhole: isWhole)
  }
}

/// A value that a device shows under a key, or a message of it.
package struct PresenceEntry: Hashable, Sendable {
  /// The number of the device in the space; 0 where the speaker speaks for itself.
  package var device: UInt64
  /// The key, in UTF-8.
  package var key: [UInt8]
  /// Whether it is told once, and is no value that stands.
  package var isMessage: Bool
  /// The value; null where nothing is shown there any more.
  package var value: Value

  /// The most bytes of a key, and of a value.
  package static let (keyBytesMax, valueBytesMax) = (64, 1024)
  /// The most keys of a device.
  package static let keysMax = 16
  /// The bytes of one without a key and a value.
  static let bytesMin = 12

  /// Makes an entry; by default a value of the speaker's.
  package init(device: UInt64 = 0, key: [UInt8], isMessage: Bool = false, value: Value) {
    self.device = device
    self.key = key
    self.isMessage = isMessage
    self.value = value
  }
}

extension ByteWriter {
  mutating func presence(_ update: PresenceUpdate) {
    byte(update.isWhole ? 1 : 0)
    varint(UInt64(update.entries.count))
    for entry in update.entries {
      integer(entry.device)
      byte(entry.isMessage ? 1 : 0)
      lengthPrefixed(entry.key)
      byte(entry.value.kind.rawValue)
      lengthPrefixed(entry.value.bytes)
    }
  }
}

extension ByteReader {
  mutating func presence() throws(WireError) -> PresenceUpdate {
    let isWhole = try flag()
    var entries: [PresenceEntry] = []
    let entryCount = try count(bytesEach: PresenceEntry.bytesMin)
    guard entryCount <= PresenceUpdate.entriesMax else {
      throw WireError(.tooLarge, "A message shows too much.")
    }
    for _ in 0..<entryCount {
      let device = try integer(UInt64.self)
      let isMessage = try flag()
      let key = try lengthPrefixed(upTo: PresenceEntry.keyBytesMax)
      let kind = ValueKind(rawValue: try byte())
      let value = Value(kind: kind, bytes: try lengthPrefixed(upTo: PresenceEntry.valueBytesMax))
      guard kind != .null || value == .null else { throw .malformed("Nothing has bytes.") }
      entries.append(PresenceEntry(device: device, key: key, isMessage: isMessage, value: value))
    }
    return PresenceUpdate(entries, isWhole: isWhole)
  }
}
