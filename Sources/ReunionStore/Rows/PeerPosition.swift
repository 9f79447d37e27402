import ReunionCore

/// What a peer said where to resume, as it is kept in `reunion_peer` until the peer gets it back.
///
/// A replica that must compare everything goes on from no position. A position is kept all the
/// same: if the peer that told it went back since, only this shows it. It is then longer than any
/// position, by zeros before it, and is given back with its last byte inverted, so that who knows
/// no proofs takes it for none of its own.
enum PeerPosition {
  private static let zeros = [UInt8](repeating: 0, count: Pull.positionBytesMax)
  /// What of a position a mark names.
  private static let nameBytes = 8

  /// What is kept beside a position where all is held here that the peer held when it told it: the arrival
  /// here up to which the peer held all by then. It stands under the peer's number below zero.
  ///
  /// An earlier version of this program keeps other positions without a mark, and makes a proof of the mark
  /// itself where it forgets positions: then it is none any more.
  static func mark(_ position: [UInt8], heldUpTo arrival: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.integer(arrival)
    return writer.bytes + position.suffix(nameBytes)
  }

  /// The arrival of a mark; nil where it is not of this position.
  static func heldUpTo(_ mark: [UInt8], beside position: [UInt8]) -> UInt64? {
    guard !position.isEmpty, !isProof(position), mark.count <= 8 + nameBytes,
      mark.dropFirst(8) == position.suffix(nameBytes)
    else { return nil }
    return mark.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The same position as a proof alone.
  static func proof(_ kept: [UInt8]) -> [UInt8] {
    kept.isEmpty || isProof(kept) ? kept : zeros + kept
  }

  static func isProof(_ kept: [UInt8]) -> Bool { kept.count > zeros.count }

  /// What goes over the wire.
  static func presented(_ kept: [UInt8]) -> [UInt8] {
    isProof(kept) ? inverted(Array(kept.dropFirst(zeros.count))) : kept
  }

  /// The bytes with the bits of the last one inverted.
  static func inverted(_ bytes: [UInt8]) -> [UInt8] {
    bytes.dropLast() + bytes.suffix(1).map { ~$0 }
  }
}
