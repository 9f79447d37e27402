package import ReunionCore

extension Store {
  /// Takes over what another store in this process holds of a space and this one lacks, as a session
  /// between the two would; the other has the whole say.
  ///
  /// *Durability*: on the disk when this returns. *Cost*: a window of 256 KiB in memory.
  /// - Throws: `StoreError`; then nothing was taken over.
  @discardableResult
  package func pull(from other: Store, in space: SpaceID) throws -> Applied {
    let told = try position(of: other.site(in: space), in: space)
    var reading = Conversation.Reading(after: 0, vectorAfter: 0, held: try vector(of: space))
    switch try other.resume(from: told, in: space) {
    case .at(let cursor, let ownSeq): (reading.after, reading.ownSeq) = (cursor, ownSeq)
    // It names all that it holds.
    case .incomparable: break
    case .rolledBack(let ownSeq):
      try other.mintIncarnation(
        after: other.site(in: space), keeping: ownSeq, in: space, found: site(in: space))
      reading.ownSeq = 0
    }
    try discardStaged(from: other.site(in: space), in: space)
    var stagedCount = 0
    while true {
      let window = try other.window(in: space, reading, bytesMax: 256 * 1024)
      if let end = window.end {
        var raised = VersionVector()
        for dot in end.raised { raised.raise(dot.site, to: dot.seq) }
        return try apply(
          IncomingPush(
            peer: other.site(in: space),
            helloSeq: try other.vector(of: space)[other.site(in: space)],
            changes: window.changes, stagedCount: stagedCount, raised: raised, vector: raised,
            position: end.position),
          in: space, authority: .all)
      }
      try stage(window.changes, [], from: other.site(in: space), in: space)
      stagedCount += window.changes.count
      reading.after = window.cursor
    }
  }
}
