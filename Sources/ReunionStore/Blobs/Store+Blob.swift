import ReunionCore
import ReunionDisk

extension Store {
  /// The bytes of a blob, wherever they are; nil for no blob.
  ///
  /// - Throws: `blobMissing` if its file has not arrived.
  public func read(_ blob: Blob?) throws -> [UInt8]? {
    try blob.map { try read($0) }
  }

  /// The bytes of a blob, wherever they are kept. For parts of a large one: `blobs.read`.
  ///
  /// - Throws: `blobMissing` if its file has not arrived.
  public func read(_ blob: Blob) throws -> [UInt8] {
    switch blob {
    case .bytes(let bytes): bytes
    case .file(let reference):
      try blobs.read(reference.hash, count: Int(clamping: reference.byteCount))
    }
  }
}
