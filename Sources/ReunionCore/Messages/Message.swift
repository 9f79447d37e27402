/// What two replicas say to each other over a link; `docs/protocol.md` describes the conversation.
package enum Message: Hashable, Sendable {
  /// The messages that the speaker takes beside those that everybody takes; before its hello.
  case features(Features)
  /// First on every link but for `features`, from both sides.
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
  /// "When this session is over, come back after this time, and not all at once."
  case later(Later)
  /// "What your pull is beyond is not known here: pull again, and name all that you hold."
  case nameAll
  /// What devices show while they are connected.
  case presence(PresenceUpdate)
  /// How far replicas have come.
  case standing(StandingUpdate)
  /// A part of a block, in place of changes, as a part of a push to a newcomer.
  case part(PackedPart)
  /// "What stood here deleted at or below this arrival is gone."
  case horizon(UInt64)
  /// "What you hold is older than what is gone here: take all anew."
  case behind
  /// "These records come whole in this push: what I have met of them and do not bring is gone."
  case whole([RecordName])
  /// "I hold all that stood at these stores at these arrivals of theirs."
  case reached([Reached])
  /// Whether two sides that believe themselves equal are.
  case audit(AuditStep)
  /// A message of a newer protocol: its type; it is skipped.
  case unknown(UInt8)

  /// The version of the protocol, the first byte of every message.
  package static let version: UInt8 = 1
  /// The type of `nameAll`.
  static let nameAllType: UInt8 = 19
  /// The types of `horizon`, `behind`, `whole` and `reached`.
  static let (horizonType, behindType, wholeType): (UInt8, UInt8, UInt8) = (22, 23, 24)
  static let reachedType: UInt8 = 25
  /// The most records of a `whole`.
  package static let wholeMax = 4096
  /// The most stores of a `reached`.
  package static let reachedMax = 8
  /// The most bytes that a message may have.
  package static let bytesMax = 1024 * 1024
  /// The most that a fragment has beside its part of a message.
  package static let fragmentHeadBytes = 6
  /// The size at which a sender ends one message and begins the next.
  package static let bytesSoftMax = 16 * 1024
  /// The most bytes that go as one message: a piece of a blob, and what is beside it.
  package static let wholeBytesMax = 66 * 1024

  /// Its bytes, in fragments where it is long or over what a link carries: the other side hears of each,
  /// and does not take a large value on a slow link for silence.
  package func encodedParts(linkBytesMax: Int = Self.bytesMax) -> [[UInt8]] {
    let bytes = encoded()
    guard bytes.count > min(linkBytesMax, Self.wholeBytesMax) else { return [bytes] }
    let partBytes = min(linkBytesMax, Self.bytesSoftMax) - Self.fragmentHeadBytes
    return stride(from: 0, to: bytes.count, by: partBytes).map { start in
      let end = min(start + partBytes, bytes.count)
      return Message.fragment(isLast: end == bytes.count, Array(bytes[start..<end])).encoded()
    }
  }
}

/// What the speaker takes beside the messages that every replica of version 1 takes.
package struct Features: Hashable, Sendable {
  /// The types of the messages.
  package var types: [UInt8]

  /// Nothing else.
  package static let none = Features(types: [])
  /// What this program takes.
  package static let all = Features(
    types: [
      Pull.beyondType, Message.nameAllType, PresenceUpdate.type, StandingUpdate.type,
      PackedPart.type, Message.horizonType, Message.behindType, Message.wholeType,
      Message.reachedType, AuditStep.type,
    ])

  /// Takes its parts as they are.
  package init(types: [UInt8]) { self.types = types }

  /// Whether a `pull` may name what is held beyond its position alone.
  package var takesBeyond: Bool {
    types.contains(Pull.beyondType) && types.contains(Message.nameAllType)
  }

  /// The same without those pulls, where `isOut`.
  package func without(beyond isOut: Bool) -> Features {
    isOut
      ? Features(types: types.filter { $0 != Pull.beyondType && $0 != Message.nameAllType }) : self
  }

  /// Whether a push may bring parts of a block.
  package var takesParts: Bool { types.contains(PackedPart.type) }

  /// The same without them.
  package var withoutParts: Features { Features(types: types.filter { $0 != PackedPart.type }) }

  /// Whether it hears which records of a push are whole, back after a delete.
  package var takesWhole: Bool { types.contains(Message.wholeType) }
  /// Whether it hears up to where deletes are gone, and takes all anew where it was away for too long.
  package var takesHorizon: Bool {
    types.contains(Message.horizonType) && types.contains(Message.behindType)
  }

  /// The same without that: what a server takes.
  package var withoutBehind: Features {
    let out = [Message.horizonType, Message.behindType, Message.reachedType]
    return Features(types: types.filter { !out.contains($0) })
  }

  /// The same without all that is about deletes that are gone.
  package var withoutHorizon: Features {
    Features(types: withoutBehind.types.filter { $0 != Message.wholeType })
  }

  /// What a page takes of it: to a leaf everything goes whole that came back, and it meets nobody but its server.
  package var ofLeaf: Features {
    Features(types: types.filter { $0 != Message.wholeType && $0 != Message.reachedType })
      .withoutAudits
  }

  /// The same without audits.
  package var withoutAudits: Features {
    Features(types: types.filter { $0 != AuditStep.type })
  }

  /// Whether it answers audits.
  package var takesAudits: Bool { types.contains(AuditStep.type) }

  /// Whether it hears what the other side holds of others, so that it lacks none of their deletes.
  package var takesReached: Bool { types.contains(Message.reachedType) }

  /// Whether it hears what devices show.
  package var takesPresence: Bool { types.contains(PresenceUpdate.type) }
  /// Whether it hears how far replicas have come.
  package var takesStanding: Bool { types.contains(StandingUpdate.type) }
}

/// A store, and an arrival there up to which somebody holds everything.
package struct Reached: Hashable, Sendable {
  /// The store.
  package var site: Site
  /// Its arrival.
  package var arrival: UInt64

  /// Takes its parts as they are.
  package init(site: Site, arrival: UInt64) {
    self.site = site
    self.arrival = arrival
  }
}

/// A record of a space.
package struct RecordName: Hashable, Sendable {
  /// Its entity.
  package var entity: UInt32
  /// Its id.
  package var record: RecordID

  /// Takes its parts as they are.
  package init(entity: UInt32, record: RecordID) {
    self.entity = entity
    self.record = record
  }
}

/// A greeting, which names the speaker and the space.
package struct Hello: Hashable, Sendable {
  /// The space that the session is about.
  package var space: SpaceID
  /// The incarnation of the speaker's store.
  package var site: Site
  /// Whether the speaker is a leaf: a cache with an outbox, with no say in stability.
  package var isLeaf: Bool
  /// How many changes the speaker made in the space.
  package var seq: UInt64

  /// Makes a hello.
  package init(space: SpaceID, site: Site, isLeaf: Bool, seq: UInt64) {
    self.space = space
    self.site = site
    self.isLeaf = isLeaf
    self.seq = seq
  }
}

/// What the speaker holds: in several messages where it names many sites.
package struct Pull: Hashable, Sendable {
  /// What the other side told at the end of the last push that is held here: only its store reads
  /// it. Empty where they never met.
  package var position: [UInt8]
  /// What the speaker holds of each site; its sites get the next numbers of this session.
  package var vector: VersionVector
  /// Whether nothing follows.
  package var isWhole: Bool
  /// Whether the speaker holds all that the position names as well: the vector has what rose since.
  package var isBeyond: Bool

  /// The most bytes of a position.
  package static let positionBytesMax = 64
  /// The type of a pull that names what is held beyond its position.
  package static let beyondType: UInt8 = 18

  /// Makes a pull.
  package init(
    position: [UInt8], vector: VersionVector, isWhole: Bool = true, isBeyond: Bool = false
  ) {
    self.position = position
    self.vector = vector
    self.isWhole = isWhole
    self.isBeyond = isBeyond
  }
}

/// The end of a push.
package struct PushEnd: Hashable, Sendable {
  /// The number by which the push is acknowledged.
  package var cursor: UInt64
  /// The sender's position: the receiver presents it when they meet again.
  package var position: [UInt8]
  /// What rose of the sender's vector since it last told, up to the read transaction in which nothing
  /// was left to send.
  package var raised: [Raised]

  /// An entry of a vector that rose.
  package struct Raised: Hashable, Sendable {
    /// A site by its number in this session, or one that has had none so far.
    package enum Name: Hashable, Sendable {
      case known(UInt32)
      case new(Site)
    }

    /// The site.
    package var site: Name
    /// The highest number of its changes that is held.
    package var seq: UInt64

    /// Makes an entry.
    package init(site: Name, seq: UInt64) {
      self.site = site
      self.seq = seq
    }
  }

  /// Makes the end of a push.
  package init(cursor: UInt64, position: [UInt8], raised: [Raised]) {
    self.cursor = cursor
    self.position = position
    self.raised = raised
  }
}

/// A record of which the sender refused changes of the receiver. What stands there comes in the same
/// push.
package struct Refusal: Hashable, Sendable {
  /// The record's entity.
  package var entity: UInt32
  /// The record.
  package var record: RecordID
  /// What the refused push brought of the receiver's sites: of its own cells up to there those stay
  /// that come in this push.
  package var sent: VersionVector
  /// Why an app's own rule refused it, in UTF-8 and at most `Bye.sentenceBytesMax` bytes; none where a role
  /// or a limit did.
  package var sentence: [UInt8]

  /// Makes a refusal.
  package init(
    entity: UInt32, record: RecordID, sent: VersionVector, sentence: [UInt8] = []
  ) {
    self.entity = entity
    self.record = record
    self.sent = sent
    self.sentence = sentence
  }
}

/// A piece of a blob, at most 64 KiB.
package struct BlobPiece: Hashable, Sendable {
  /// The blob.
  package var hash: BlobHash
  /// How many bytes the whole blob has.
  package var byteCount: UInt64
  /// Where the piece begins.
  package var offset: UInt64
  /// The bytes of the piece.
  package var bytes: [UInt8]

  /// The most bytes that a piece has.
  package static let bytesMax = 64 * 1024

  /// Makes a piece.
  package init(hash: BlobHash, byteCount: UInt64, offset: UInt64, bytes: [UInt8]) {
    self.hash = hash
    self.byteCount = byteCount
    self.offset = offset
    self.bytes = bytes
  }
}

/// When to come back: said before the end of a session by a side that many want to talk to.
package struct Later: Hashable, Sendable {
  /// After how many milliseconds. Whoever comes back spreads over as much again.
  package var milliseconds: UInt64
  /// Why: one sentence in UTF-8, at most `Bye.sentenceBytesMax` bytes.
  package var sentence: [UInt8]

  /// The most that anybody waits for: more is taken as this.
  package static let millisecondsMax: UInt64 = 5 * 60 * 1000

  /// Makes a request to come back later.
  package init(milliseconds: UInt64, sentence: [UInt8] = []) {
    self.milliseconds = milliseconds
    self.sentence = sentence
  }

  /// The same, with no longer a wait than anybody obeys.
  var bounded: Later {
    Later(milliseconds: min(milliseconds, Self.millisecondsMax), sentence: sentence)
  }
}

/// Why a session ends.
package struct Bye: Hashable, Sendable {
  /// Why, as a number that a program can act on.
  package struct Code: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    package let rawValue: UInt16

    /// Takes its parts as they are.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The speaker stops and will be back.
    package static let goingAway = Code(rawValue: 1)
    /// The other side's messages are malformed or out of order.
    package static let protocolError = Code(rawValue: 2)
    /// The other side may not see or change the space.
    package static let notAllowed = Code(rawValue: 3)
    /// The speaker's store went back to an earlier state and has a new incarnation: come again.
    package static let renewed = Code(rawValue: 4)
    /// The speaker cannot write: its disk is full or failing.
    package static let storageFailed = Code(rawValue: 5)
  }

  /// Why.
  package var code: Code
  /// One sentence in UTF-8, at most 1,024 bytes.
  package var sentence: [UInt8]

  /// The most bytes of a sentence.
  package static let sentenceBytesMax = 1024

  /// Makes a farewell.
  package init(code: Code, sentence: [UInt8]) {
    self.code = code
    self.sentence = sentence
  }
}
