import ReunionCore

/// A message under a key of its own, made once: however often the link is cut, and whatever keys the
/// sessions have, the bytes on the air stay the same, so that it can go on where it stopped.
///
/// The key travels in the message's head, under the session's key.
struct SealedMessage: Hashable, Sendable {
  /// Its place on its lane, from 1 on, without gaps.
  let number: UInt64
  /// The key that nothing else is sealed with.
  let key: [UInt8]
  /// The message and its tag.
  let bytes: [UInt8]

  /// Seals a message under a fresh key.
  init(_ message: [UInt8], number: UInt64, key: [UInt8]) throws(SecrecyError) {
    self.number = number
    self.key = key
    bytes = try Cipher.seal(message, key: key, nonce: 0)
  }

  /// A message that a store has kept.
  init(number: UInt64, key: [UInt8], bytes: [UInt8]) {
    self.number = number
    self.key = key
    self.bytes = bytes
  }

  /// What its head says.
  var head: MessageHead { MessageHead(number: number, byteCount: bytes.count, key: key) }
}

extension Array where Element == SealedMessage {
  /// The same messages, with the numbers from 1 on.
  var renumbered: [SealedMessage] {
    enumerated().map { index, message in
      SealedMessage(number: UInt64(index + 1), key: message.key, bytes: message.bytes)
    }
  }
}

/// What comes before a message: which it is, how long, and its key.
struct MessageHead: Hashable, Sendable {
  let number: UInt64
  /// How many bytes follow, the tag included.
  let byteCount: Int
  let key: [UInt8]

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.varint(number)
    writer.varint(UInt64(byteCount))
    writer.bytes(key)
    return writer.bytes
  }

  init(number: UInt64, byteCount: Int, key: [UInt8]) {
    self.number = number
    self.byteCount = byteCount
    self.key = key
  }

  init(_ bytes: [UInt8]) throws(WireError) {
    var reader = ByteReader(bytes)
    number = try reader.varint()
    let limit = UInt64(PeerMailbox.messageBytesMax + Cipher.tagBytes)
    byteCount = Int(try reader.varint(upTo: limit))
    key = try reader.bytes(Cipher.keyBytes)
    try reader.finish()
    guard byteCount >= Cipher.tagBytes else {
      throw WireError(.malformed, "A message is shorter than its tag.")
    }
  }

  /// What tells it from any other message that may have its number; it says nothing of the key.
  var mark: [UInt8] { Array(SHA256.hash(Array("mark".utf8) + key).prefix(Self.markBytes)) }

  static let markBytes = 8
  /// The most bytes of a head under the session's key.
  static let sealedBytesMax = 10 + 10 + Cipher.keyBytes + Cipher.tagBytes
}

/// A message that is arriving: its head, and its bytes so far.
struct ArrivingMessage: Hashable, Sendable {
  let head: MessageHead
  var bytes: [UInt8] = []

  var isWhole: Bool { bytes.count == head.byteCount }
}
