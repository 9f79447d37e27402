import ReunionCore

@testable import ReunionStore

/// Two stores that exchange what each lacks, as sessions do: hello, pull, pushes in windows, what was
/// refused, and a new incarnation for the one that finds itself rolled back.
struct Exchange {
  /// A side, as the session that runs beside it.
  final class Side {
    let store: Store
    let isGuest: Bool
    var sending = Conversation.Reading(after: 0)
    var peerVector = VersionVector()
    var provenSeq: UInt64 = 0
    var helloSeq: UInt64 = 0

    init(_ store: Store, isGuest: Bool) {
      self.store = store
      self.isGuest = isGuest
    }
  }

  /// What happened on the way.
  struct Outcome {
    var mintCount = 0
    /// How many changes went each way.
    var changeCount = 0
    /// Whether the link was cut before it ended.
    var isCut = false
  }

  let one: Side
  let two: Side
  let space: SpaceID
  var windowBytes = 2048
  /// After how many pushes the link is cut; those after it are lost, acknowledged or not.
  var pushesBeforeCut = Int.max

  init(_ one: Store, _ two: Store, in space: SpaceID? = nil, guest: Store? = nil) {
    self.one = Side(one, isGuest: one === guest)
    self.two = Side(two, isGuest: two === guest)
    self.space = space ?? SpaceID(high: 7, low: 7)
  }

  private struct Minted: Error {}
  private struct Cut: Error {}

  /// Exchanges until both hold the same, or the link is cut.
  mutating func run() throws -> Outcome {
    var outcome = Outcome()
    for _ in 0..<4 {
      do {
        try session(&outcome)
        return outcome
      } catch is Minted {
        outcome.mintCount += 1
      } catch is Cut {
        outcome.isCut = true
        return outcome
      }
    }
    throw StoreError(.unexpected, "Two stores mint again and again.")
  }

  private mutating func session(_ outcome: inout Outcome) throws {
    for (side, peer) in [(one, two), (two, one)] {
      side.helloSeq = try side.store.vector(of: space)[side.store.site]
      try side.store.discardStaged(from: peer.store.site, in: space)
    }
    try open(one, to: two)
    try open(two, to: one)
    for round in 0..<6 {
      let before = outcome.changeCount
      try push(from: one, to: two, &outcome)
      try push(from: two, to: one, &outcome)
      if round > 0, outcome.changeCount == before { return }
    }
  }

  /// What a side finds in the other's pull.
  private func open(_ side: Side, to peer: Side) throws {
    let position = try peer.store.position(of: side.store.site, in: space)
    var vector = try peer.store.vector(of: space)
    let own = try side.store.vector(of: space)[side.store.site]
    switch try side.store.resume(from: position, in: space) {
    case .rolledBack(let ownSeq): try mint(side, keeping: ownSeq, found: peer)
    case .at(let cursor, let ownSeq):
      if vector[side.store.site] > own {
        guard peer.isGuest else { return try mint(side, keeping: ownSeq ?? 0, found: peer) }
        vector = vector.without(side.store.site)
      }
      side.sending = Conversation.Reading(
        after: cursor, vectorAfter: 0, held: vector, ownSeq: ownSeq)
      side.peerVector = vector
      side.provenSeq = ownSeq ?? 0
    case .incomparable, .behind: throw StoreError(.unexpected, "All was named.")
    }
  }

  private func mint(_ side: Side, keeping ownSeq: UInt64, found peer: Side) throws {
    try side.store.mintIncarnation(
      after: side.store.site, keeping: ownSeq, in: space, found: peer.store.site)
    throw Minted()
  }

  private mutating func push(
    from side: Side, to peer: Side, _ outcome: inout Outcome
  ) throws {
    guard pushesBeforeCut > 0 else { throw Cut() }
    pushesBeforeCut -= 1
    var stagedCount = 0
    var (refused, changes): ([Refusal], [Change]) = ([], [])
    var lastRefusal: Int64 = 0
    if !side.isGuest {
      for standing in try side.store.refusals(
        of: peer.store.site, after: 0, in: space, bytesMax: .max)
      {
        refused.append(standing.refusal)
        lastRefusal = standing.number
        changes += standing.cells.map {
          Change(entity: standing.refusal.entity, record: standing.refusal.record, cell: $0)
        }
      }
    }
    var end: Conversation.WindowEnd?
    while end == nil {
      let window = try side.store.window(in: space, side.sending, bytesMax: windowBytes)
      side.sending.after = window.cursor
      changes += window.changes
      outcome.changeCount += window.changes.count
      end = window.end
      guard end == nil, !changes.isEmpty || !refused.isEmpty else { continue }
      try peer.store.stage(changes, refused, from: side.store.site, in: space)
      stagedCount += changes.count + refused.count
      (refused, changes) = ([], [])
    }
    guard let end else { return }
    guard pushesBeforeCut > 0 else {
      try peer.store.discardStaged(from: side.store.site, in: space)
      throw Cut()
    }
    var raised = VersionVector()
    for dot in end.raised { raised.raise(dot.site, to: dot.seq) }
    // What the receiver knows of the sender is what its pull said, and what rose since.
    peer.peerVector.merge(raised)
    let applied = try peer.store.apply(
      IncomingPush(
        peer: side.store.site, helloSeq: side.helloSeq, changes: changes, refused: refused,
        stagedCount: stagedCount, raised: raised, vector: peer.peerVector,
        position: end.position, provenSeq: peer.provenSeq),
      in: space,
      authority: side.isGuest ? .own(device: side.store.site.device) : .all)
    if applied.isForked { try mint(peer, keeping: peer.provenSeq, found: side) }
    if lastRefusal > 0 {
      try side.store.answerRefusals(
        of: peer.store.site, upTo: lastRefusal, in: space)
    }
    side.sending.vectorAfter = end.cursor
    side.sending.ownSeq = nil
    side.sending.held.merge(raised)
  }
}

extension VersionVector {
  func without(_ site: Site) -> VersionVector {
    var vector = VersionVector()
    for dot in entries where dot.site != site { vector.raise(dot.site, to: dot.seq) }
    return vector
  }
}
