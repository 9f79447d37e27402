import ReunionCore
import ReunionDisk

extension Store {
  /// The bytes of a blob, wherever they are; nil for no blob.
  ///
  /// ```swift
  /// do {
  ///   print(try store.read(photo.thumbnail)?.count ?? 0)
  /// } catch let error as StoreError where error.code == .blobMissing {
  ///   print("The picture is on its way.")
  /// }
  /// ```
  /// - Throws: `blobMissing` if its file has not arrived, or was found damaged; `ioFailed`.
  public func read(_ blob: Blob?) throws -> [UInt8]? {
    try blob.map { try read($0) }
  }

  /// The bytes of a blob, wherever they are kept. All of them are in memory at once; for parts of a
  /// large one: `BlobStore.read(_:offset:count:)`. The first read of a file since the opening
  /// checks it.
  ///
  /// - Throws: `blobMissing` if its file has not arrived, or was found damaged; `ioFailed`.
  public func read(_ blob: Blob) throws -> [UInt8] {
    switch blob {
    case .bytes(let bytes): bytes
    case .file(let reference):
      try blobs.read(reference.hash, count: Int(clamping: reference.byteCount))
    }
  }
}
