package import ReunionCore
package import ReunionFlow
package import ReunionStore

extension Session {
  /// What the other side may do, and what is exchanged.
  package struct Configuration: Sendable {
    /// The space that the session is about.
    package var space: SpaceID
    /// Whether this side is a leaf.
    package var isLeaf: Bool
    /// What the other side may change here.
    package var authority: Authority
    /// The device that the other side must speak for; nil for whichever it names. What is kept for a
    /// device, as what it was refused, is for nobody else.
    package var device: UInt64?
    /// Whether the other side may have blobs over the link.
    package var servesBlobs: Bool
    /// Whether this side fetches the blobs that it lacks.
    package var fetchesBlobs: Bool
    /// What the other side may still bring where it may change only its own, and what it has brought;
    /// nil for as much as it will.
    package var allowance: Allowance?
    /// Whether this side sends what its own device wrote and nothing else: what it may not change at the
    /// other side it does not carry there either.
    package var sendsOwnOnly = false
    /// Whether the other side is told what is refused, which those alone take who trust this one.
    package var tellsRefusals = true
    /// The order in which blobs are fetched, and which of them; nil for all, as they come.
    package var blobOrder: BlobOrder?
    /// The most bytes of one piece of a blob.
    package var blobPieceBytesMax = Message.bytesSoftMax
    /// Whether the other side may get only blobs that a record of the space names.
    package var servesNamedBlobsOnly = false
    /// Whether the other side's word counts, where it may change everything, for this store having gone
    /// back to an earlier state: then its site is another in all spaces. A position shows it in any case.
    package var believesPeer = true
    /// Whether this side dials a server, whose word counts for what others wrote. Another's counts as far
    /// as its pushes bring changes.
    package var dialsServer = false
    /// The app's own rule about what the other side sends.
    package var rule: TransactionRule?
    /// Told of each transaction that the rule refuses: the device that wrote it, and the rule's sentence.
    package var ruledOut: (@Sendable (_ device: UInt64, _ sentence: String) -> Void)?
    /// Told of a failure of the store that ended the session.
    package var failed: (@Sendable (_ error: any Error) -> Void)?
    /// The size at which a message of changes ends and the next begins.
    package var messageBytesSoftMax = Message.bytesSoftMax
    /// Bytes of changes that are gathered in memory before they are staged on disk.
    package var gatheredBytesMax = 256 * 1024
    /// What this side takes beside what everybody takes: pulls beyond, unless it sends its own changes alone, and
    /// parts of blocks, which nothing counts, of those alone who may change everything.
    package var features: Features {
      get {
        let taken = authority == .all ? offered : offered.withoutParts
        // What one side may not change at the other, an audit could not bring together.
        let takesAudits = audits != nil && authority == .all && !sendsOwnOnly
        return (takesAudits ? taken : taken.withoutAudits).without(beyond: sendsOwnOnly)
      }
      set { offered = newValue }
    }
    private var offered = Features.all.withoutParts.withoutHorizon
    /// Whether the other side is told up to where deletes are gone here, so that they go there too.
    package var tellsHorizon = false
    /// What audits share with those of other sessions; nil where this side takes none.
    package var audits: Audits?
    /// Whether this side begins audits, where one is due.
    package var beginsAudits = false
    /// Whether one is due whatever was noted.
    package var isAuditDue = false
    /// Told how many records changed here that an audit had found to differ.
    package var repaired: (@Sendable (_ recordCount: Int) -> Void)?
    /// What newcomers are sent parts of; nil for none.
    package var blocks: Blocks?
    /// About how many bytes of a push are read, held and sent at a time.
    package var windowBytes = 256 * 1024
    /// From how many changes on a window goes as parts, to a side that takes parts.
    package var packedChangesMin = 512
    /// What hears and tells what devices show while they are connected.
    package var presence: PresenceTap?
    /// What hears and tells how far replicas have come.
    package var standing: StandingTap?
    /// Told of each transition of the conversation: the world's coverage.
    package var record: (@Sendable (MachineTransition<Conversation>) -> Void)?

    /// Makes a configuration; by default two full replicas that trust each other.
    package init(
      space: SpaceID, isLeaf: Bool = false, authority: Authority = .all, device: UInt64? = nil,
      servesBlobs: Bool = true, fetchesBlobs: Bool = true
    ) {
      self.space = space
      self.isLeaf = isLeaf
      self.authority = authority
      self.device = device
      self.servesBlobs = servesBlobs
      self.fetchesBlobs = fetchesBlobs
    }
  }
}
