import ReunionCore

/// What a peer said where to resume, as it is kept in `reunion_peer` until the peer gets it back.
///
/// A replica that must compare everything goes on from no position. A position is kept all the
/// same: if the peer that told it went back since, only this shows it. It is then longer than any
/// position, by zeros before it, and is given back with its last byte inverted, so that who knows
/// no proofs takes it for none of its own.
enum PeerPosition {
  private static let zeros = [UInt8](repeating: 0, count: Pull.positionBytesMax)

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
