package import ReunionCore

/// A space as of one arrival, in a file: what a newcomer takes in place of a long first push.
///
///     head:  "RBLK", version 1, form, two zeros, space, site of the store that made it, arrival (8 bytes),
///            count of parts and of records (4 each)
///     parts: length deflated and inflated (4 each), a zlib stream (`BlockPart`)
///     end:   as a part: the head again, which has no checksum; length (4) and bytes of the store's position
///            there, count (4) and entries of its vector: site and seq (8)
///
/// Numbers have their most significant byte first. Source: `docs/protocol.md` §6.
package struct Block: Hashable, Sendable {
  /// Which replicas it is for.
  package enum Form: UInt8, Sendable, CaseIterable {
    /// A full replica: every cell.
    case whole = 0
    /// A leaf: deleted records are hollow.
    case leaf = 1
  }

  /// The space.
  package let space: SpaceID
  /// Which replicas it is for.
  package let form: Form
  /// Where it is.
  package let path: String
  /// The site under which the store made it.
  let site: Site
  /// The SHA-256 of its bytes, by which it is known.
  package let hash: BlobHash
  /// The arrival number up to which it has everything.
  package let arrival: UInt64
  /// The CRC-32 of each part's stream.
  let checksums: [UInt32]
  /// How many records it has.
  package let recordCount: Int

  static let headBytes = 56
  static let frameBytes = 8

  /// The bytes that it begins with.
  static func head(
    _ space: SpaceID, _ form: Form, by site: Site, arrival: UInt64, parts: Int, records: Int
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.bytes(Array("RBLK".utf8) + [1, form.rawValue, 0, 0])
    writer.identifier(space)
    writer.identifier(site)
    writer.integer(arrival)
    writer.integer(UInt32(clamping: parts))
    writer.integer(UInt32(clamping: records))
    return writer.bytes
  }

  /// What its end holds.
  static func end(_ head: [UInt8], _ position: [UInt8], _ vector: VersionVector) -> [UInt8] {
    var writer = ByteWriter()
    writer.bytes(head)
    writer.integer(UInt32(position.count))
    writer.bytes(position)
    writer.integer(UInt32(vector.entries.count))
    for dot in vector.entries {
      writer.identifier(dot.site)
      writer.integer(dot.seq)
    }
    return writer.bytes
  }
}
