import ReunionCore

/// What a peer said where to resume, as it is kept in `reunion_peer` until the peer gets it back.
///
/// A replica that must compare everything goes on from no position. A position is kept all the
/// same: if the peer that told it went back since, only this shows it. It is then longer than any
/// position, by zeros before it, and is given back with its last byte inverted, so that who knows
/// no proofs takes it for none of its own.
///
/// Before a position of which all is held that the peer held then, there stands at which arrival here that
/// was so: only what rose since must be named. An earlier version of this program takes that for a proof.
enum PeerPosition {
  private static let zeros = [UInt8](repeating: 0, count: Pull.positionBytesMax)
  private static let ones = [UInt8](repeating: 1, count: Pull.positionBytesMax - 8)

  /// The same position where all that the peer held is held here, as of an arrival.
  static func named(_ position: [UInt8], at arrival: UInt64) -> [UInt8] {
    guard !position.isEmpty, !isProof(position) else { return position }
    var writer = ByteWriter()
    writer.integer(arrival)
    return writer.bytes + ones + position
  }

  /// The arrival here as of which all is held that the peer held; nil where that is not so.
  static func namedAt(_ kept: [UInt8]) -> UInt64? {
    guard kept.count > zeros.count, !isProof(kept) else { return nil }
    return kept.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The same, of which nothing is known but the position.
  static func unnamed(_ kept: [UInt8]) -> [UInt8] {
    namedAt(kept) == nil ? kept : Array(kept.dropFirst(zeros.count))
  }

  /// The same position as a proof alone.
  static func proof(_ kept: [UInt8]) -> [UInt8] {
    kept.isEmpty || isProof(kept) ? kept : zeros + unnamed(kept)
  }

  static func isProof(_ kept: [UInt8]) -> Bool {
    kept.count > zeros.count && kept.starts(with: zeros)
  }

  /// What goes over the wire.
  static func presented(_ kept: [UInt8]) -> [UInt8] {
    isProof(kept) ? inverted(Array(kept.dropFirst(zeros.count))) : unnamed(kept)
  }

  /// The bytes with the bits of the last one inverted.
  static func inverted(_ bytes: [UInt8]) -> [UInt8] {
    bytes.dropLast() + bytes.suffix(1).map { ~$0 }
  }
}
