package import ReunionCore

/// Which chunks of a blob that is on its way have arrived, in whatever order.
package struct BlobChunks: Hashable, Sendable {
  /// The bytes of every chunk but the last: 64 KiB.
  package static let bytesEach: UInt64 = 64 * 1024
  /// The most bytes of a blob that comes in chunks: 1 TiB.
  package static let blobBytesMax: UInt64 = 1 << 40

  /// The blob.
  package let blob: BlobReference
  /// One byte for each chunk, 1 if the chunk is held. Bytes may be left out at the end, if none of
  /// their chunks is held.
  private let have: [UInt8]

  init(of blob: BlobReference, have: [UInt8]) {
    self.blob = blob
    self.have = have
  }

  /// How many chunks the blob has.
  package var count: Int { Self.count(of: blob) }

  /// Whether a chunk has arrived.
  package func contains(_ index: Int) -> Bool {
    index >= 0 && index < min(have.count, count) && have[index] == 1
  }

  /// The chunks that have not arrived.
  package var missing: [Int] { (0..<count).filter { !contains($0) } }

  /// How many chunks have arrived from the first on, without a gap.
  var prefixCount: Int { have.firstIndex { $0 != 1 } ?? have.count }

  /// Where the bytes of a chunk are in the blob.
  package func range(of index: Int) -> Range<UInt64> {
    let start = min(UInt64(clamping: index) * Self.bytesEach, blob.byteCount)
    return start..<min(start + Self.bytesEach, blob.byteCount)
  }

  static func count(of blob: BlobReference) -> Int {
    Int(clamping: (blob.byteCount + bytesEach - 1) / bytesEach)
  }
}
