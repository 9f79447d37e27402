/// The pushes of both sides: what is read for one, how one ends, and what the other side holds by it.
extension Conversation {
  /// What a push waits for.
  enum Awaited: Hashable, Sendable {
    case nothing, refusals, window
  }

  /// The push that is going out.
  struct Push: Hashable, Sendable {
    /// What the shell was asked to read, while a push is under way.
    var awaited = Awaited.nothing
    /// Whether something was committed since it began.
    var isDirty = false
    /// Whether the first one was told; that one always ends in a `pushEnd`.
    var isGreeted = false
    /// Whether it brings anything.
    var isTold = false
    /// Whether the next `pushEnd` goes even if it ends nothing: something was taken back.
    var isOwed = false
    /// How many of the owed acknowledgements follow it.
    var owedCount = 0
  }

  /// A push that went out: what its acknowledgement will mean.
  struct Unanswered: Hashable, Sendable {
    var cursor: UInt64
    var raised: [Dot]
    var refusals: Int64
  }

  /// What the next part of a push is read for.
  package struct Reading: Hashable, Sendable {
    /// The arrival number up to which everything was sent.
    package var after: UInt64
    /// The arrival number up to which entries of the vector were told: what stood here then is there, or on
    /// its way.
    package var vectorAfter: UInt64 = 0
    /// What the other side holds besides, by its word. The shell is given it; between readings it is not
    /// kept twice.
    package var held = VersionVector()
    /// Own changes above this are sent whatever the other side claims: they were neither sent nor proved
    /// to have arrived. Nil where its word counts.
    package var ownSeq: UInt64?
    /// Whether a record that came back after a delete goes whole, by whoever wrote it: it may be gone at the other side.
    package var goesWhole = false
    /// Records that go whole with the end, whatever the other side holds by its word: an audit found that they differ.
    package var audited: [RecordName] = []

    /// Makes a reading.
    package init(
      after: UInt64, vectorAfter: UInt64 = 0, held: VersionVector = VersionVector(),
      ownSeq: UInt64? = nil
    ) {
      self.after = after
      self.vectorAfter = vectorAfter
      self.held = held
      self.ownSeq = ownSeq
    }
  }

  /// What the other side holds.
  package struct Held: Hashable, Sendable {
    /// All that stood here at this arrival; 0 for nothing.
    package var upTo: UInt64 = 0
    /// And what it said that it holds.
    package var told = VersionVector()

    /// Nothing, or what is given.
    package init(upTo: UInt64 = 0, told: VersionVector = VersionVector()) {
      self.upTo = upTo
      self.told = told
    }
  }

  /// Where a push ends: in one transaction with its last part.
  package struct WindowEnd: Hashable, Sendable {
    /// The highest arrival number.
    package var cursor: UInt64
    /// What the receiver gives back when it comes again: at most 64 bytes that this store alone can
    /// read.
    package var position: [UInt8]
    /// The entries of the vector that rose since `Reading.vectorAfter`.
    package var raised: [Dot]

    /// Makes the end of a push.
    package init(cursor: UInt64, position: [UInt8], raised: [Dot]) {
      self.cursor = cursor
      self.position = position
      self.raised = raised
    }
  }

  /// The end of a push of the other side.
  package struct Arrival: Hashable, Sendable {
    /// The number by which it is acknowledged.
    package var cursor: UInt64
    /// The other side's position, to be presented when a session begins.
    package var position: [UInt8]
    /// What it holds now and had not said before.
    package var raised: VersionVector
    /// All that it holds.
    package var held: Held
    /// The number of the last refusal that it is proved to have taken back; 0 for none.
    package var answered: Int64
    /// Whether `raised` is all that it holds.
    package var isAllNamed: Bool

    /// Makes the end of a push that arrived.
    package init(
      cursor: UInt64, position: [UInt8], raised: VersionVector, held: Held,
      answered: Int64 = 0, isAllNamed: Bool = false
    ) {
      self.cursor = cursor
      self.position = position
      self.raised = raised
      self.held = held
      self.answered = answered
      self.isAllNamed = isAllNamed
    }
  }
}
