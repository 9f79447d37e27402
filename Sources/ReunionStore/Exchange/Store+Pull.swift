package import ReunionCore

extension Store {
  /// Brings this store and another one in this process up to date with each other, as `pull` does. If what one holds
  /// is older than what is gone at the other, that one takes over first.
  /// - Throws: `StoreError`; `apart` where each may lack what is gone at the other.
  package func exchange(with other: Store, in space: SpaceID) throws {
    let isOurs = try other.hasBehind(self, in: space)
    let isTheirs = try hasBehind(other, in: space)
    guard !(isOurs && isTheirs) else {
      throw StoreError(
        .apart,
        "Both replicas were apart for too long: let each meet its server first, then try again.")
    }
    let order = isTheirs ? [(other, self), (self, other)] : [(self, other), (other, self)]
    for (taker, giver) in order { try taker.pull(from: giver, in: space) }
  }

  /// Whether another store in this process may lack a delete that is gone here.
  private func hasBehind(_ other: Store, in space: SpaceID) throws -> Bool {
    let told = try other.position(of: site(in: space), in: space)
    return try isBehind(
      told, try other.vector(of: space), isBeyond: false, reached: other.reached(in: space),
      in: space) != nil
  }

  /// Takes over what another store in this process holds of a space and this one lacks, as a session
  /// between the two would; the other has the whole say.
  ///
  /// *Durability*: on the disk when this returns. *Cost*: a window of 256 KiB in memory.
  /// - Throws: `StoreError`; then nothing was taken over.
  @discardableResult
  package func pull(from other: Store, in space: SpaceID) throws -> Applied {
    let horizon = try other.horizon(of: space)
    let told = try position(of: other.site(in: space), in: space)
    var reading = Conversation.Reading(after: 0, vectorAfter: 0, held: try vector(of: space))
    reading.goesWhole = true
    let isAnew =
      try other.isBehind(
        told, reading.held, isBeyond: false, reached: reached(in: space), in: space) != nil
    if isAnew { reading.held = VersionVector() }
    switch isAnew ? .at(cursor: 0, ownSeq: 0) : try other.resume(from: told, in: space) {
    case .at(let cursor, let ownSeq): (reading.after, reading.ownSeq) = (cursor, ownSeq)
    // It names all that it holds, and who is behind was asked before.
    case .incomparable, .behind: break
    case .rolledBack(let ownSeq):
      try other.mintIncarnation(
        after: other.site(in: space), keeping: ownSeq, in: space, found: site(in: space))
      reading.ownSeq = 0
    }
    try discardStaged(from: other.site(in: space), in: space)
    var stagedCount = 0
    var whole: Set<RecordName> = []
    while true {
      let window = try other.window(in: space, reading, bytesMax: 256 * 1024)
      guard try other.horizon(of: space) == horizon else {
        throw StoreError(.stagedLost, "The other replica let go what was deleted: try again.")
      }
      if let end = window.end {
        var raised = VersionVector()
        for dot in end.raised { raised.raise(dot.site, to: dot.seq) }
        var push = IncomingPush(
          peer: other.site(in: space),
          helloSeq: try other.vector(of: space)[other.site(in: space)],
          changes: window.changes, stagedCount: stagedCount, raised: raised, vector: raised,
          position: end.position)
        push.isAnew = isAnew
        push.isFirst = try told.isEmpty && other.isPastClosed(in: space)
        push.whole = whole.union(window.whole)
        return try apply(push, in: space, authority: .all)
      }
      whole.formUnion(window.whole)
      try stage(window.changes, [], from: other.site(in: space), in: space)
      stagedCount += window.changes.count
      reading.after = window.cursor
    }
  }
}
