/// What two replicas say to each other over a link; `docs/protocol.md` describes the conversation.
public enum Message: Hashable, Sendable {
  /// First on every link, from both sides.
  case hello(Hello)
  /// "I hold this; send what I lack, now and as it comes."
  case pull(Pull)
  /// A part of a push: cells that the other side lacks.
  case changes([Change])
  /// The end of a push: what came since the last one becomes visible, with its vector, at once.
  case pushEnd(PushEnd)
  /// The push that ended at this cursor is on disk here.
  case acknowledge(cursor: UInt64)
  /// Records of which changes were refused, each with the state that stands.
  case refused([Refusal])
  /// "Are you there?"
  case ping(UInt32)
  /// The answer to `ping`, with its number.
  case pong(UInt32)
  /// "Send this blob from this byte on."
  case want(BlobHash, offset: UInt64)
  /// A piece of a blob.
  case blob(BlobPiece)
  /// "I do not hold that blob."
  case lack(BlobHash)
  /// "These blobs have arrived here."
  case have([BlobHash])
  /// The last message before the link is closed, with a sentence for a person.
  case bye(Bye)
  /// A message of a newer protocol: its type; it is skipped.
  case unknown(UInt8)

  /// The version of the protocol, the first byte of every message.
  public static let version: UInt8 = 1
  /// The most bytes that a message may have.
  public static let bytesMax = 1024 * 1024
  /// The size at which a sender ends one message and begins the next.
  public static let bytesSoftMax = 16 * 1024
}

/// Who speaks, and about which space.
public struct Hello: Hashable, Sendable {
  /// The space that the session is about.
  public var space: SpaceID
  /// The incarnation of the speaker's store.
  public var site: Site
  /// Whether the speaker is a leaf: a cache with an outbox, with no say in stability.
  public var isLeaf: Bool
  /// How many changes the speaker made in the space.
  public var seq: UInt64

  /// Makes a hello.
  public init(space: SpaceID, site: Site, isLeaf: Bool, seq: UInt64) {
    self.space = space
    self.site = site
    self.isLeaf = isLeaf
    self.seq = seq
  }
}

/// What the speaker holds.
public struct Pull: Hashable, Sendable {
  /// All that had arrived at the other side up to this arrival number is held; 0 for nothing.
  public var cursor: UInt64
  /// What the speaker holds of each site.
  public var vector: VersionVector

  /// Makes a pull.
  public init(cursor: UInt64, vector: VersionVector) {
    self.cursor = cursor
    self.vector = vector
  }
}

/// The end of a push.
public struct PushEnd: Hashable, Sendable {
  /// The sender's arrival number up to which the receiver now holds everything.
  public var cursor: UInt64
  /// What the sender held in the read transaction in which nothing was left to send.
  public var vector: VersionVector

  /// Makes the end of a push.
  public init(cursor: UInt64, vector: VersionVector) {
    self.cursor = cursor
    self.vector = vector
  }
}

/// A record of which the receiver refused changes.
public struct Refusal: Hashable, Sendable {
  /// The record's entity.
  public var entity: UInt32
  /// The record.
  public var record: RecordID
  /// The cells that stand; the author's replica takes them in place of its own.
  public var cells: [Cell]

  /// Makes a refusal.
  public init(entity: UInt32, record: RecordID, cells: [Cell]) {
    self.entity = entity
    self.record = record
    self.cells = cells
  }
}

/// A piece of a blob, at most 64 KiB.
public struct BlobPiece: Hashable, Sendable {
  /// The blob.
  public var hash: BlobHash
  /// How many bytes the whole blob has.
  public var byteCount: UInt64
  /// Where the piece begins.
  public var offset: UInt64
  /// The bytes of the piece.
  public var bytes: [UInt8]

  /// The most bytes that a piece has.
  public static let bytesMax = 64 * 1024

  /// Makes a piece.
  public init(hash: BlobHash, byteCount: UInt64, offset: UInt64, bytes: [UInt8]) {
    self.hash = hash
    self.byteCount = byteCount
    self.offset = offset
    self.bytes = bytes
  }
}

/// Why a session ends.
public struct Bye: Hashable, Sendable {
  /// Why, as a number that a program can act on.
  public struct Code: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt16

    /// Takes its parts as they are.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The speaker stops and will be back.
    public static let goingAway = Code(rawValue: 1)
    /// The other side's messages are malformed or out of order.
    public static let protocolError = Code(rawValue: 2)
    /// The other side may not see or change the space.
    public static let notAllowed = Code(rawValue: 3)
    /// The other side's store was restored or copied: it must write under a new incarnation.
    public static let forked = Code(rawValue: 4)
    /// The speaker cannot write: its disk is full or failing.
    public static let storageFailed = Code(rawValue: 5)
  }

  /// Why.
  public var code: Code
  /// One sentence in UTF-8, at most 1,024 bytes.
  public var sentence: [UInt8]

  /// Makes a farewell.
  public init(code: Code, sentence: [UInt8]) {
    self.code = code
    self.sentence = sentence
  }
}
