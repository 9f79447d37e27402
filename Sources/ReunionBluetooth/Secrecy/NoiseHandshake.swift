import ReunionCore

/// The handshake `Noise_XXpsk3_25519_ChaChaPoly_SHA256`: three messages, after which both sides know
/// each other's static keys and share two keys that nobody else has.
///
/// A pure value: a message that was refused leaves it unusable. Source: The Noise Protocol Framework,
/// revision 34.
struct NoiseHandshake {
  private static let name = Array("Noise_XXpsk3_25519_ChaChaPoly_SHA256".utf8)

  let isInitiator: Bool
  private let staticKey: KeyPair
  private let ephemeralKey: KeyPair
  /// The secret that is mixed into the third message; zeros when there is none.
  var sharedKey = [UInt8](repeating: 0, count: 32)
  /// The other side's static key, once it has come.
  private(set) var peerKey: [UInt8] = []
  private var peerEphemeralKey: [UInt8] = []

  /// What both sides have said so far: equal on both sides, unless somebody is in between.
  private(set) var hash: [UInt8]
  private var chainingKey: [UInt8]
  private var key: [UInt8]?
  private var nonce: UInt64 = 0
  private var messageCount = 0

  /// Begins; the ephemeral key must never be used again.
  init(isInitiator: Bool, staticKey: KeyPair, ephemeralKey: KeyPair, prologue: [UInt8]) {
    self.isInitiator = isInitiator
    self.staticKey = staticKey
    self.ephemeralKey = ephemeralKey
    hash = SHA256.hash(Self.name)
    chainingKey = hash
    mixHash(prologue)
  }

  /// True when all three messages were made or read.
  var isOver: Bool { messageCount == 3 }

  /// Whether this side makes the next message.
  var isOwnTurn: Bool { !isOver && isInitiator == (messageCount != 1) }

  /// Makes the next message, with a payload that is secret from the second message on.
  mutating func write(_ payload: [UInt8]) throws(SecrecyError) -> [UInt8] {
    guard isOwnTurn else { throw SecrecyError() }
    var message: [UInt8] = []
    switch messageCount {
    case 0: message += mixEphemeral(ephemeralKey.publicKey)
    case 1:
      message += mixEphemeral(ephemeralKey.publicKey)
      mixKey(try ephemeralKey.sharedSecret(with: peerEphemeralKey))
      message += try seal(staticKey.publicKey)
      mixKey(try staticKey.sharedSecret(with: peerEphemeralKey))
    default:
      message += try seal(staticKey.publicKey)
      mixKey(try staticKey.sharedSecret(with: peerEphemeralKey))
      mixKeyAndHash(sharedKey)
    }
    message += try seal(payload)
    messageCount += 1
    return message
  }

  /// Reads the next message; the result is its payload.
  mutating func read(_ message: [UInt8]) throws(SecrecyError) -> [UInt8] {
    var rest = try readKeys(message)
    if messageCount == 2 { mixKeyAndHash(sharedKey) }
    rest = try open(rest)
    messageCount += 1
    return rest
  }

  private mutating func readKeys(_ message: [UInt8]) throws(SecrecyError) -> [UInt8] {
    guard !isOwnTurn, !isOver else { throw SecrecyError() }
    var rest = message[...]
    func take(_ count: Int) throws(SecrecyError) -> [UInt8] {
      guard rest.count >= count else { throw SecrecyError() }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    if messageCount < 2 {
      peerEphemeralKey = mixEphemeral(try take(32))
      if messageCount == 1 { mixKey(try ephemeralKey.sharedSecret(with: peerEphemeralKey)) }
    }
    if messageCount > 0 {
      peerKey = try open(try take(32 + Cipher.tagBytes))
      mixKey(try ephemeralKey.sharedSecret(with: peerKey))
    }
    return Array(rest)
  }

  /// The keys of the two directions, the initiator's first.
  func split() -> (initiator: [UInt8], responder: [UInt8]) {
    let keys = derive([], count: 2)
    return (keys[0], keys[1])
  }

  // MARK: The symmetric state

  private mutating func mixHash(_ bytes: [UInt8]) { hash = SHA256.hash(hash + bytes) }

  /// In a handshake with a shared key the ephemeral ones are mixed into the key as well.
  private mutating func mixEphemeral(_ publicKey: [UInt8]) -> [UInt8] {
    mixHash(publicKey)
    mixKey(publicKey)
    return publicKey
  }

  private mutating func mixKey(_ material: [UInt8]) {
    let keys = derive(material, count: 2)
    (chainingKey, key, nonce) = (keys[0], keys[1], 0)
  }

  private mutating func mixKeyAndHash(_ material: [UInt8]) {
    let keys = derive(material, count: 3)
    chainingKey = keys[0]
    mixHash(keys[1])
    (key, nonce) = (keys[2], 0)
  }

  /// HKDF with the chaining key. Source: Noise §4.3, RFC 5869.
  private func derive(_ material: [UInt8], count: Int) -> [[UInt8]] {
    let secret = HMAC.code(of: material, key: chainingKey)
    var keys: [[UInt8]] = []
    for number in 1...count {
      keys.append(HMAC.code(of: (keys.last ?? []) + [UInt8(number)], key: secret))
    }
    return keys
  }

  private mutating func seal(_ bytes: [UInt8]) throws(SecrecyError) -> [UInt8] {
    var sealed = bytes
    if let key {
      sealed = try Cipher.seal(bytes, key: key, nonce: nonce, authenticating: hash)
      nonce += 1
    }
    mixHash(sealed)
    return sealed
  }

  private mutating func open(_ sealed: [UInt8]) throws(SecrecyError) -> [UInt8] {
    var bytes = sealed
    if let key {
      bytes = try Cipher.open(sealed, key: key, nonce: nonce, authenticating: hash)
      nonce += 1
    }
    mixHash(sealed)
    return bytes
  }
}
