import ReunionCore

/// How two devices get to know each other: three messages of Noise, and what they carry.
///
/// The device that was found (the peripheral) speaks first and reveals who it is last, once it knows the
/// other or holds its invitation: whoever connects out of curiosity learns nothing. A code to compare is
/// made of what both sides had fixed before either could know it. Source of the commitment: ZRTP,
/// RFC 6189 §4.4.1.1.
struct Greeting {
  /// How the one who connects wants to be known.
  enum Way: Hashable, Sendable {
    /// As the peer that it is already; it expects to find this one.
    case known(PeerID)
    /// By an invitation of the other side.
    case invitation(Invitation)
    /// By a code that two people compare.
    case code
  }

  /// What this side brings along, and whom it lets in.
  struct Terms: Sendable {
    var key: KeyPair
    /// Whether a peer is known here.
    var isKnown: @Sendable (PeerID) -> Bool
    /// Which invitations are open here.
    var invitations: @Sendable () -> [Invitation]
    /// Whether those may come whom nobody knows, to compare a code.
    var admitsStrangers: @Sendable () -> Bool
    /// Whether somebody may try now to come by an invitation or a code.
    var mayTry: @Sendable () -> Bool = { true }
    /// Up to 4 KiB for ephemeral keys of later suites; this one brings them and asks nothing of them.
    /// The one who was found says them in the clear.
    var extra: [UInt8] = []
    /// The identity of this device.
    var id: PeerID { PeerID(of: key) }
  }

  /// What the greeting has shown about the other side.
  struct Introduction {
    let peer: PeerID
    /// The digits to compare; nil where the peer is proved to be who it should be.
    let code: String?
    /// True when the other side's knowledge of the invitation shows by its first sealed word alone.
    let isProvedByFirstWord: Bool
    let sendKey: [UInt8]
    let receiveKey: [UInt8]
    /// What the other side brought along.
    let extra: [UInt8]
    /// The invitation by which it came, or let this side in.
    let invitation: Invitation?
  }

  /// The version of everything that follows.
  static let version: UInt8 = 1
  /// The number of the one suite of this build: X25519, ChaCha20-Poly1305, SHA-256.
  static let suite: UInt8 = 1
  /// The most bytes that each side may bring along.
  static let extraBytesMax = 4096
  /// The most bytes of one message of the greeting.
  static let recordBytesMax = extraBytesMax + 256
  private static let nonceBytes = 16

  private var noise: NoiseHandshake
  private let terms: Terms
  /// Of the one who connects.
  private let way: Way?
  private let nonce: [UInt8]
  private var commitment: [UInt8] = []
  private var peerNonce: [UInt8] = []
  private var peerExtra: [UInt8] = []
  private var saidWay: UInt8 = 0
  private var hashOfTwo: [UInt8] = []

  /// Begins, as the one who connects in some way, or (nil) as the one who was found.
  init(
    _ way: Way?, terms: Terms, using random: inout any RandomNumberGenerator
  ) throws(SecrecyError) {
    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }
    }
    self.way = way
    self.terms = terms
    nonce = bytes(Self.nonceBytes)
    noise = NoiseHandshake(
      isInitiator: way == nil, staticKey: terms.key,
      ephemeralKey: try KeyPair(secretKey: bytes(32)),
      prologue: Array("ReunionBluetooth".utf8) + [Self.version, Self.suite])
  }

  /// The first message, of the one who was found.
  mutating func begin() throws -> [UInt8] {
    var writer = ByteWriter()
    writer.bytes(SHA256.hash(terms.key.publicKey + nonce))
    writer.lengthPrefixed(terms.extra)
    return [Self.version, Self.suite] + (try noise.write(writer.bytes))
  }

  /// Takes a message in: what to answer, and who the other side is when that is known.
  ///
  /// - Throws: `GreetingRefusal`, or what bytes of a stranger may cause.
  mutating func receive(_ record: [UInt8]) throws -> (answer: [UInt8]?, Introduction?) {
    guard let way else {
      let introduction = try readSecond(record)
      return (introduction.answer, introduction.introduction)
    }
    if commitment.isEmpty { return (try readFirst(record, way), nil) }
    return (nil, try readThird(record, way))
  }

  /// The one who connects answers with who it is.
  private mutating func readFirst(_ record: [UInt8], _ way: Way) throws -> [UInt8] {
    guard record.count > 2 else { throw ChannelFault.violation }
    guard record[0] == Self.version, record[1] == Self.suite else {
      throw GreetingRefusal(reason: .unknownSuite)
    }
    var reader = ByteReader(try noise.read(Array(record.dropFirst(2))))
    commitment = try reader.bytes(32)
    peerExtra = try reader.lengthPrefixed(upTo: Self.extraBytesMax)
    try reader.finish()
    var writer = ByteWriter()
    var tag = [UInt8](repeating: 0, count: 8)
    switch way {
    case .known: writer.byte(0)
    case .invitation(let invitation):
      writer.byte(1)
      tag = invitation.tag
      noise.sharedKey = invitation.sharedKey
    case .code: writer.byte(2)
    }
    writer.bytes(tag)
    writer.bytes(nonce)
    writer.lengthPrefixed(terms.extra)
    let answer = try noise.write(writer.bytes)
    hashOfTwo = noise.hash
    return answer
  }

  /// The one who was found decides whether to say who it is.
  private mutating func readSecond(
    _ record: [UInt8]
  ) throws -> (answer: [UInt8], introduction: Introduction) {
    var reader = ByteReader(try noise.read(record))
    hashOfTwo = noise.hash
    let way = try reader.byte()
    var shown: Invitation?
    let tag = try reader.bytes(8)
    peerNonce = try reader.bytes(Self.nonceBytes)
    peerExtra = try reader.lengthPrefixed(upTo: Self.extraBytesMax)
    try reader.finish()
    guard let peer = PeerID(bytes: noise.peerKey) else { throw ChannelFault.violation }
    guard way == 0 || terms.mayTry() else { throw GreetingRefusal(reason: .busy) }
    switch way {
    case 0: guard terms.isKnown(peer) else { throw GreetingRefusal(reason: .stranger) }
    case 1:
      guard let invitation = terms.invitations().first(where: { $0.tag == tag }) else {
        throw GreetingRefusal(reason: .stranger)
      }
      shown = invitation
      noise.sharedKey = invitation.sharedKey
    case 2: guard terms.admitsStrangers() else { throw GreetingRefusal(reason: .stranger) }
    default: throw ChannelFault.violation
    }
    var writer = ByteWriter()
    writer.bytes(nonce)
    let answer = try noise.write(writer.bytes)
    return (
      answer,
      introduction(
        peer, code: way == 2 ? code(nonce, terms.key.publicKey, peerNonce) : nil,
        isProvedByFirstWord: way == 1, by: shown)
    )
  }

  private mutating func readThird(_ record: [UInt8], _ way: Way) throws -> Introduction {
    var reader = ByteReader(try noise.read(record))
    peerNonce = try reader.bytes(Self.nonceBytes)
    try reader.finish()
    guard SHA256.hash(noise.peerKey + peerNonce) == commitment,
      let peer = PeerID(bytes: noise.peerKey)
    else { throw ChannelFault.violation }
    if case .known(let expected) = way, peer != expected {
      throw GreetingRefusal(reason: .stranger)
    }
    var shown: Invitation?
    if case .invitation(let invitation) = way { shown = invitation }
    return introduction(
      peer, code: way == .code ? code(peerNonce, noise.peerKey, nonce) : nil,
      isProvedByFirstWord: false, by: shown)
  }

  private func introduction(
    _ peer: PeerID, code: String?, isProvedByFirstWord: Bool, by invitation: Invitation?
  ) -> Introduction {
    let keys = noise.split()
    return Introduction(
      peer: peer, code: code, isProvedByFirstWord: isProvedByFirstWord,
      sendKey: noise.isInitiator ? keys.initiator : keys.responder,
      receiveKey: noise.isInitiator ? keys.responder : keys.initiator, extra: peerExtra,
      invitation: invitation)
  }

  /// Six digits of what both sides had fixed before the first revealed its nonce and its key.
  private func code(_ foundNonce: [UInt8], _ foundKey: [UInt8], _ otherNonce: [UInt8]) -> String {
    let bytes = HMAC.code(of: foundNonce + foundKey + otherNonce, key: hashOfTwo)
    let number = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
    let digits = String(number)
    return String(repeating: "0", count: 6 - digits.count) + digits
  }
}

/// The other side may not come in, or speaks another language.
struct GreetingRefusal: Error, Hashable {
  let reason: CloseReason
}
