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
  /// Records of which changes were refused, as a part of a push that brings what stands.
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
  /// A part of a message that is over what the link carries at once.
  case fragment(isLast: Bool, [UInt8])
  /// A message of a newer protocol: its type; it is skipped.
  case unknown(UInt8)

  /// The version of the protocol, the first byte of every message.
  public static let version: UInt8 = 1
  /// The most bytes that a message may have.
  public static let bytesMax = 1024 * 1024
  /// The most that a fragment has beside its part of a message.
  public static let fragmentHeadBytes = 6
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

/// What the speaker holds: in several messages where it names many sites.
public struct Pull: Hashable, Sendable {
  /// What the other side told at the end of the last push that is held here: only its store reads
  /// it. Empty where they never met.
  public var position: [UInt8]
  /// What the speaker holds of each site; its sites get the next numbers of this session.
  public var vector: VersionVector
  /// Whether nothing follows.
  public var isWhole: Bool

  /// The most bytes of a position.
  public static let positionBytesMax = 64

  /// Makes a pull.
  public init(position: [UInt8], vector: VersionVector, isWhole: Bool = true) {
    self.position = position
    self.vector = vector
    self.isWhole = isWhole
  }
}

/// The end of a push.
public struct PushEnd: Hashable, Sendable {
  /// The number by which the push is acknowledged.
  public var cursor: UInt64
  /// The sender's position: the receiver presents it when they meet again.
  public var position: [UInt8]
  /// What rose of the sender's vector since it last told, up to the read transaction in which nothing
  /// was left to send.
  public var raised: [Raised]

  /// An entry of a vector that rose.
  public struct Raised: Hashable, Sendable {
    /// A site by its number in this session, or one that has had none so far.
    public enum Name: Hashable, Sendable {
      case known(UInt32)
      case new(Site)
    }

    /// The site.
    public var site: Name
    /// The highest number of its changes that is held.
    public var seq: UInt64

    /// Makes an entry.
    public init(site: Name, seq: UInt64) {
      self.site = site
      self.seq = seq
    }
  }

  /// Makes the end of a push.
  public init(cursor: UInt64, position: [UInt8], raised: [Raised]) {
    self.cursor = cursor
    self.position = position
    self.raised = raised
  }
}

/// A record of which the sender refused changes of the receiver. What stands there comes in the same
/// push.
public struct Refusal: Hashable, Sendable {
  /// The record's entity.
  public var entity: UInt32
  /// The record.
  public var record: RecordID
  /// What the refused push brought of the receiver's sites: of its own cells up to there those stay
  /// that come in this push.
  public var sent: VersionVector

  /// Makes a refusal.
  public init(entity: UInt32, record: RecordID, sent: VersionVector) {
    self.entity = entity
    self.record = record
    self.sent = sent
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
    /// The speaker's store went back to an earlier state and has a new incarnation: come again.
    public static let renewed = Code(rawValue: 4)
    /// The speaker cannot write: its disk is full or failing.
    public static let storageFailed = Code(rawValue: 5)
  }

  /// Why.
  public var code: Code
  /// One sentence in UTF-8, at most 1,024 bytes.
  public var sentence: [UInt8]

  /// The most bytes of a sentence.
  public static let sentenceBytesMax = 1024

  /// Makes a farewell.
  public init(code: Code, sentence: [UInt8]) {
    self.code = code
    self.sentence = sentence
  }
}
