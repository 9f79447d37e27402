package import ReunionCore

/// A part of a push, read in one transaction.
package struct PushWindow: Hashable, Sendable {
  /// Cells that the peer lacks, a record's next to one another, in the order of their arrival.
  package var changes: [Change]
  /// The arrival number up to which was looked: the next window reads on after it.
  package var cursor: UInt64
  /// The end of the push, where nothing is left in the transaction of this window. A window without
  /// an end may have no changes.
  package var end: Conversation.WindowEnd?
  /// The records that came back after a delete, of which all cells are among the changes.
  package var whole: [RecordName] = []
  /// The records that an audit found to differ, and that are among the changes whole; a part of those that were to be.
  package var audited: [RecordName] = []

  /// Its changes as parts, which have about a fifth of the bytes; nil where a record is too large for one, or something
  /// is told beside the changes. Cost: deflates them.
  package func packed() throws -> [PackedPart]? {
    guard whole.isEmpty, audited.isEmpty else { return nil }
    return try BlockPart(changes).packedInParts()
  }

  /// Makes a window.
  package init(changes: [Change], cursor: UInt64, end: Conversation.WindowEnd? = nil) {
    self.changes = changes
    self.cursor = cursor
    self.end = end
  }
}

/// A push of a peer: its last part, which is still in memory, and its end.
package struct IncomingPush: Hashable, Sendable {
  /// The site that said hello.
  package var peer: Site
  /// Whether the peer is a leaf.
  package var isLeaf: Bool
  /// The count of its own changes that its hello named.
  package var helloSeq: UInt64
  /// The number of the session that brings it; nil where no other can be on its way.
  package var session: UInt64?
  /// The session that brings it, if it asks what came of it (`Commit.taken`).
  package var bringer: ObjectIdentifier?
  /// The changes that were not staged.
  package var changes: [Change]
  /// The refusals that were not staged.
  package var refused: [Refusal]
  /// How many changes and refusals of this push were staged.
  package var stagedCount: Int
  /// What the peer's vector rose to.
  package var raised: VersionVector
  /// What the peer holds by its word, `raised` included.
  package var vector: VersionVector
  /// And all that stood here at this arrival.
  package var heldUpTo: UInt64 = 0
  /// Whether `raised` is all that the peer holds.
  package var isAllNamed = false
  /// The device whose changes alone the peer was sent; nil for everybody's.
  package var sentDevice: UInt64?
  /// Whether the receiver is a cache of the peer: what others wrote it has from there.
  package var feedsCache = false
  /// What the peer said where to resume.
  package var position: [UInt8]
  /// Up to which own change of the receiver the peer is proved to hold everything: the `ownSeq` of
  /// `Conversation.Resumption.at`. 0 where nothing was proved.
  package var provenSeq: UInt64
  /// The number of the last refusal that the peer has taken back by the commit that `position` names; 0
  /// for none.
  package var answered: Int64 = 0
  /// Whether what others wrote is held as far as this push brings it, and no more: the receiver is a
  /// cache whose peer is another than before.
  package var replacesOthers = false
  /// Whether it is all that there is, to a receiver whose own may be older than what is gone at the peer: what it
  /// holds, the peer has met and does not bring was deleted.
  package var isAnew = false
  /// Whether it is all that there is: so it is as well for a cache whose peer is another than before.
  var isAll: Bool { isAnew || replacesOthers }
  /// Whether the receiver had nothing of the peer's past to go on from, and deletes are gone there: then it covers deletes
  /// that it never held, as if they were gone here.
  package var isFirst = false
  /// The horizon that the peer told, if it is a server's.
  package var peerHorizon: UInt64?
  /// Whether it is all that there is, to a receiver that may have let go what is alive at the peer.
  package var isRelearnt = false
  /// Records that came back after a delete, and come whole: what the peer has met of them and does not bring is gone.
  package var whole: Set<RecordName> = []
  /// Records that it brings whole, since an audit found them to differ.
  package var audited: Set<RecordName> = []
  /// The highest horizon of this store at which the peer was found to lack no delete; nil if it was not asked.
  package var soundHorizon: UInt64?
  /// The number by which the push is acknowledged, where its place in the peer's history is to be kept.
  package var markedCursor: UInt64?
  /// What of a guest's may be let in.
  package var weightMax = Weight(bytes: .max, records: .max)
  /// Whether the word of who has the whole say counts for this store having gone back. Where it does not,
  /// what the word would show is refused.
  package var isBelieved = true
  /// Whether the peer's word counts for what others wrote: that of a server that this store dials.
  /// Another's counts as far as the push brings changes.
  package var isServers = true
  /// The site that the peer was told it speaks with; nil for whichever it is.
  package var receiver: Site?
  /// Whether the parts of a block that were staged may bring changes of the receiver's own that it did not make.
  package var partsMayBeBeyond = true
  /// The transactions that a rule of the app's refuses, and why.
  package var ruledOut: [TransactionRule.Key: String] = [:]
  /// Whether it may take changes of the receiver's back; what was staged may hold refusals.
  package var mayTakeBack: Bool { stagedCount > 0 || !refused.isEmpty }
  /// Which slice of the push it is; nil where it is all of it.
  var slice: Slice?

  /// A slice of a push.
  struct Slice: Hashable, Sendable {
    /// Whether it ends the push: what was staged goes, and the vector rises.
    let isLast: Bool
    /// Up to where the whole push brings what the peer's device wrote, without a gap.
    let reach: VersionVector
    /// The highest number that the slices before it brought of each site.
    let brought: [Dot]
  }

  /// Makes a push.
  package init(
    peer: Site, isLeaf: Bool = false, helloSeq: UInt64, changes: [Change], refused: [Refusal] = [],
    stagedCount: Int = 0, raised: VersionVector, vector: VersionVector, position: [UInt8],
    provenSeq: UInt64 = 0
  ) {
    self.peer = peer
    self.isLeaf = isLeaf
    self.helloSeq = helloSeq
    self.changes = changes
    self.refused = refused
    self.stagedCount = stagedCount
    self.raised = raised
    self.vector = vector
    self.position = position
    self.provenSeq = provenSeq
  }
}

/// A refusal that its author has not answered yet.
package struct StandingRefusal: Hashable, Sendable {
  /// Its number in the ledger: later ones have higher numbers.
  package var number: Int64
  /// The record, and what its author had sent.
  package var refusal: Refusal
  /// The cells of the record that stand here.
  package var cells: [Cell]

  /// Makes a refusal that stands.
  package init(number: Int64, refusal: Refusal, cells: [Cell]) {
    self.number = number
    self.refusal = refusal
    self.cells = cells
  }
}
