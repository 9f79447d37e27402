import ReunionCore

/// The first word of each side once keys are agreed: what it has to send, and what it has of the other.
struct Resumption: Equatable {
  /// What one side has of a lane of the other.
  struct Progress: Equatable {
    /// All up to this number were taken.
    var taken: UInt64 = 0
    /// The message that is to come next.
    var wanted: UInt64 = 1
    /// Where it goes on: 0 at its head, n + 1 after n of its bytes.
    var position: Int = 0
    /// The mark of the last message that it has, or has a part of; empty where it does not know.
    var mark: [UInt8] = []

    /// The number of that message.
    var last: UInt64 { position > 0 ? wanted : wanted - 1 }
  }

  /// The name of its outbox, and by lane the number of the first message that is not settled and the
  /// number of the next one to be sent.
  var outbox: UInt64
  var first: [Lane: UInt64]
  var next: [Lane: UInt64]
  /// The name of the other side's outbox as it knows it, and how far it has come.
  var inbox: UInt64
  var progress: [Lane: Progress]

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.integer(outbox)
    for lane in Lane.allCases {
      writer.varint(first[lane] ?? 1)
      writer.varint(next[lane] ?? 1)
    }
    writer.integer(inbox)
    for lane in Lane.allCases {
      let progress = progress[lane] ?? Progress()
      writer.varint(progress.taken)
      writer.varint(progress.wanted)
      writer.varint(UInt64(progress.position))
    }
    return writer.bytes
  }

  /// The marks, which are said before it in a word of their own: earlier builds pass over that.
  var markBytes: [UInt8] {
    var writer = ByteWriter()
    for lane in Lane.allCases { writer.lengthPrefixed(progress[lane]?.mark ?? []) }
    return writer.bytes
  }

  /// Takes the marks in that were said before it.
  mutating func add(marks bytes: [UInt8]) throws(WireError) {
    var reader = ByteReader(bytes)
    for lane in Lane.allCases {
      progress[lane]?.mark = try reader.lengthPrefixed(upTo: MessageHead.markBytes)
    }
  }

  init(
    outbox: UInt64, first: [Lane: UInt64], next: [Lane: UInt64], inbox: UInt64,
    progress: [Lane: Progress]
  ) {
    self.outbox = outbox
    self.first = first
    self.next = next
    self.inbox = inbox
    self.progress = progress
  }

  init(_ bytes: [UInt8]) throws(WireError) {
    var reader = ByteReader(bytes)
    (first, next, progress) = ([:], [:], [:])
    let numberMax = UInt64(Int64.max)
    outbox = try reader.integer(UInt64.self)
    for lane in Lane.allCases {
      first[lane] = try reader.varint(upTo: numberMax)
      next[lane] = try reader.varint(upTo: numberMax)
    }
    inbox = try reader.integer(UInt64.self)
    for lane in Lane.allCases {
      let taken = try reader.varint(upTo: numberMax)
      let wanted = try reader.varint(upTo: numberMax)
      let position = try reader.varint(upTo: UInt64(PeerMailbox.messageBytesMax * 2))
      progress[lane] = Progress(taken: taken, wanted: wanted, position: Int(position))
    }
    try reader.finish()
    for lane in Lane.allCases {
      guard let first = first[lane], let next = next[lane], let progress = progress[lane],
        first >= 1, first <= next, progress.wanted > progress.taken
      else { throw WireError(.malformed, "The numbers of a resumption contradict one another.") }
    }
  }
}
