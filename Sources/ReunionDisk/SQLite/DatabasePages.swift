/// What the pages of every database here are like.
package enum DatabasePages {
  /// The bytes of a page.
  package static let byteCount = 4096
  /// How many of them carry its checksum, at its end.
  package static let reservedBytes: UInt8 = 8
}
