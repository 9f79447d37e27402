package import ReunionCore
import ReunionDisk

extension Store {
  /// Finds where a push goes on to the peer that gives this position back, or that this store went
  /// back to an earlier state since it told it.
  ///
  /// A position that this store has not told counts as none: everything is compared. One that was
  /// told under an earlier incarnation shows how far the histories are the same, and no more.
  /// So does one that was told for pushes of this device's own changes alone, unless this is one
  /// (`ownOnly`). A cache believes none that a copy of it told (`isLeaf`): that may have let go since what
  /// both had. *Thread*: any. *Cost*: a handful of rows.
  ///
  /// A peer that names what it holds `beyond` the position alone is understood where it is known what was
  /// held here then; a leaf of a device names all of its own.
  package func resume(
    from position: [UInt8], in space: SpaceID, ownOnly: Bool = false, isLeaf: Bool = false,
    beyond: VersionVector?, ofLeaf device: UInt64? = nil
  ) throws -> Conversation.Resumption {
    let found = try resume(from: position, in: space, ownOnly: ownOnly, isLeaf: isLeaf)
    guard let beyond, case .at(let cursor, _) = found else { return found }
    let told = StorePosition(decoding: position, key: positionKey, space: space, ownOnly: ownOnly)
    guard let told, told.arrival == cursor, !told.isProof,
      told.incarnation == UInt32(truncatingIfNeeded: site(in: space).incarnation)
    else { return .incomparable }
    return try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space),
        let row = try reader.spaceRow(number),
        try reader.isKnown(cursor, space: number, row, rises)
      else { return .incomparable }
      guard let device else { return found }
      var past = PastVector(reader, space: number, at: cursor, rises, options.seededBugs)
      for dot in try reader.vector(space: number, ofDevice: device).entries {
        guard try past.seq(of: dot.site) <= beyond[dot.site] else { return .incomparable }
      }
      return found
    }
  }

  /// The same, for a peer that names all that it holds.
  package func resume(
    from position: [UInt8], in space: SpaceID, ownOnly: Bool = false, isLeaf: Bool = false
  ) throws -> Conversation.Resumption {
    guard
      let told = StorePosition(
        decoding: position, key: positionKey, space: space, ownOnly: ownOnly),
      told.arrival > 0
    else { return .at(cursor: 0, ownSeq: 0) }
    let isPresent = told.incarnation == UInt32(truncatingIfNeeded: site(in: space).incarnation)
    if options.seededBugs.positionUnchecked, !told.isProof {
      return .at(cursor: told.arrival, ownSeq: isPresent ? told.last.ownSeq : 0)
    }
    return try readTransaction { (reader) throws(StoreError) in
      let number = try reader.numbers.existingNumber(of: space)
      let row = try number.flatMap { (number) throws(StoreError) in try reader.spaceRow(number) }
      let history = History(reader: reader, space: number ?? 0, row: row)
      let found = try history.common(with: told)
      let isRenewed = !options.seededBugs.incarnationNotRenewed
      if found.isParted, isPresent, isRenewed { return .rolledBack(ownSeq: found.ownSeq) }
      if told.isProof || isLeaf && !isPresent { return .at(cursor: 0, ownSeq: 0) }
      // Of a site that was given up since, the peer may have been spared what it lacks.
      if let number, try reader.lastLowering(space: number) > told.arrival {
        return .at(cursor: 0, ownSeq: isPresent ? found.ownSeq : 0)
      }
      return .at(cursor: found.cursor, ownSeq: isPresent ? found.ownSeq : 0)
    }
  }

  /// The arrival up to which a peer that gives a position back has surely met everything; 0 if none is sure. Any
  /// incarnation may have told it, and it may be a proof alone.
  func place(
    of position: [UInt8], in space: SpaceID, ownOnly: Bool
  ) throws(StoreError) -> UInt64 {
    let told = StorePosition(decoding: position, key: positionKey, space: space, ownOnly: ownOnly)
    guard let told, told.arrival > 0 else { return 0 }
    return try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return 0 }
      let row = try reader.spaceRow(number)
      return try History(reader: reader, space: number, row: row).common(with: told).cursor
    }
  }

  /// How many own changes there were, under this incarnation, when a position was told that a peer gives
  /// back; 0 where this incarnation did not tell it.
  package func toldSeq(
    _ position: [UInt8], in space: SpaceID, ownOnly: Bool = false
  ) -> UInt64 {
    guard
      let told = StorePosition(
        decoding: position, key: positionKey, space: space, ownOnly: ownOnly),
      told.incarnation == UInt32(truncatingIfNeeded: site(in: space).incarnation)
    else { return 0 }
    return told.last.ownSeq
  }

  /// What is said to a peer of what is held: the position from the end of its last applied push, and a
  /// vector. With `mayNameBeyond` that has what rose since, where all that the peer held then is held here;
  /// from a cache, and to one, what is held of the cache's device.
  package func pull(
    from peer: Hello, in space: SpaceID, isLeaf: Bool, mayNameBeyond: Bool
  ) throws -> Pull {
    let device = device(in: space)
    return try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else {
        return Pull(position: [], vector: VersionVector())
      }
      let kept = try reader.position(of: peer.site, space: number)
      let position = presented(kept, isLeaf: peer.isLeaf)
      if mayNameBeyond, peer.isLeaf {
        let vector = try reader.vector(space: number, ofDevice: peer.site.device)
        return Pull(position: position, vector: vector)
      }
      guard mayNameBeyond, let site = try reader.numbers.existingNumber(of: peer.site),
        let upTo = try reader.heldUpTo(by: site, space: number, beside: kept), upTo > 0 || isLeaf,
        try reader.seq(of: peer.site, space: number) <= peer.seq
      else { return Pull(position: position, vector: try reader.vector(space: number)) }
      let vector =
        isLeaf
        ? try reader.vector(space: number, ofDevice: device)
        : try reader.beyond(upTo, space: number)
      return Pull(position: position, vector: vector, isBeyond: true)
    }
  }

  /// How many of a site's changes are held.
  package func seq(of site: Site, in space: SpaceID) throws -> UInt64 {
    try read { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return 0 }
      return try reader.seq(of: site, space: number)
    }
  }

  /// What a peer told at the end of its last applied push, or an earlier incarnation of its device;
  /// empty where they never met. To a leaf none is told as a proof: a browser's has no seal that would
  /// show it as one.
  package func position(
    of peer: Site, in space: SpaceID, isLeaf: Bool = false
  ) throws -> [UInt8] {
    try read { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return [] }
      return presented(try reader.position(of: peer, space: number), isLeaf: isLeaf)
    }
  }

  private func presented(_ kept: [UInt8], isLeaf: Bool) -> [UInt8] {
    let isForgotten = isLeaf || options.seededBugs.proofForgotten
    return isForgotten && PeerPosition.isProof(kept) ? [] : PeerPosition.presented(kept)
  }

  /// Whether a peer is met for the first time under this incarnation, and was under another: it went
  /// back to an earlier state, or is a copy.
  package func isRenewed(_ peer: Site, in space: SpaceID) throws -> Bool {
    try read { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return false }
      return try reader.isRenewed(peer, space: number)
    }
  }
}

/// The tags of a space's commits, as far as they are kept.
private struct History {
  struct Common {
    /// The last commit that surely is the same in both, and the own changes by then.
    var cursor: UInt64 = 0
    var ownSeq: UInt64 = 0
    /// Whether a commit that this store has told is surely not of its history.
    var isParted = false
  }

  let reader: RecordReader
  let space: Int64
  let row: SpaceRow?

  private var arrival: UInt64 { row?.arrival ?? 0 }

  func common(with told: StorePosition) throws(StoreError) -> Common {
    var common = Common()
    guard told.arrival <= arrival else {
      common.isParted = true
      try lookBack(told, &common)
      return common
    }
    let run = try lastRun(upTo: told.arrival)
    if let run, run.end == told.arrival {
      if run.tag == told.last.tag {
        return Common(cursor: told.arrival, ownSeq: told.last.ownSeq)
      }
      common.isParted = true
    } else if Tags.isKept(told.arrival, last: arrival) {
      common.isParted = true
    }
    try lookBack(told, &common)
    return common
  }

  /// Looks for the last of the earlier commits that is the same.
  private func lookBack(_ told: StorePosition, _ common: inout Common) throws(StoreError) {
    let marks = StorePosition.marks(before: told.arrival)
    for (mark, point) in zip(marks, told.earlier) where mark <= arrival {
      let run = try lastRun(upTo: mark)
      if let run, run.tag == point.tag {
        guard run.end > common.cursor else { continue }
        common.cursor = run.end
        common.ownSeq = point.ownSeq
        continue
      }
      let isCertain =
        mark.isMultiple(of: Tags.arrivalsPerBlock) || Tags.isKept(mark, last: arrival)
      if isCertain, run != nil || point.tag != 0 { common.isParted = true }
    }
  }

  private func lastRun(upTo arrival: UInt64) throws(StoreError) -> Tags.Run? {
    guard let row else { return nil }
    return try reader.lastRun(space: space, upTo: arrival, in: row.tags)
  }
}
