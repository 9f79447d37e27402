import ReunionCore
import ReunionFlow
import ReunionStore

extension Session {
  /// Fetches these blobs one after the other, each from where a killed transfer left it.
  func fetchBlobs(_ references: [BlobReference]) throws {
    let next = work.withLock { work in
      work.blobs.want(references)
      return work.blobs.nextToFetch()
    }
    guard let next else { return }
    send(.want(next.hash, offset: try store.blobs.partialByteCount(of: next.hash)))
  }

  /// How many blobs the other side was asked for and does not hold either, or not as they were.
  public var lackedBlobCount: Int { work.withLock { $0.blobs.lackingCount } }

  /// Fetches everything that the space names and this store lacks.
  func fetchMissingBlobs() throws {
    guard configuration.fetchesBlobs else { return }
    try fetchBlobs(store.blobs.missing(in: configuration.space))
  }

  func handleBlob(_ message: Message) throws {
    switch message {
    case .want(let hash, let offset):
      guard configuration.servesBlobs, try store.blobs.contains(hash),
        try !store.blobs.isErased(hash, in: configuration.space)
      else {
        send(.lack(hash))
        return
      }
      work.withLock { $0.blobs.send(hash, from: offset) }
      sendBlobPieces()
    case .blob(let piece): try receive(piece)
    case .lack(let hash):
      work.withLock { $0.blobs.notHeld(hash) }
      try fetchBlobs([])
    case .have(let hashes):
      if work.withLock({ $0.blobs.arrived(hashes) }) { try fetchMissingBlobs() }
    default: break
    }
  }

  private func receive(_ piece: BlobPiece) throws {
    guard let fetching = work.withLock({ $0.blobs.fetching }), fetching.hash == piece.hash else {
      return
    }
    // The size that a record names may be wrong; the hash decides in the end.
    let (end, overflow) = piece.offset.addingReportingOverflow(UInt64(piece.bytes.count))
    guard !overflow, end <= piece.byteCount, !piece.bytes.isEmpty || piece.byteCount == 0 else {
      offer(.violated("A piece of a blob does not fit into its blob."))
      return
    }
    do {
      try store.blobs.append(to: piece.hash, offset: piece.offset, bytes: piece.bytes)
      guard end == piece.byteCount else { return }
      try store.blobs.complete(piece.hash, byteCount: piece.byteCount)
    } catch {
      // A transfer with other bytes was thrown away; the next session asks again from the start.
      // What was erased meanwhile is not wanted any more.
      let code = (error as? StoreError)?.code
      guard code == .blobMismatch || code == .blobErased else { throw error }
      work.withLock { $0.blobs.notHeld(piece.hash) }
    }
    work.withLock { $0.blobs.endFetch() }
    try fetchBlobs([])
  }

  /// Sends pieces of the wanted blobs while the link takes them.
  func sendBlobPieces() {
    while link.queuedBytes < Self.queuedBytesSoftMax,
      let next = work.withLock({ $0.blobs.sending.first })
    {
      guard let size = try? store.blobs.byteCount(of: next.hash),
        let bytes = try? store.blobs.read(
          next.hash, offset: next.offset, count: BlobPiece.bytesMax),
        next.offset <= size
      else {
        send(.lack(next.hash))
        work.withLock { $0.blobs.sent(upTo: nil) }
        continue
      }
      send(
        .blob(
          BlobPiece(hash: next.hash, byteCount: size, offset: next.offset, bytes: bytes)))
      let end = next.offset + UInt64(bytes.count)
      work.withLock { $0.blobs.sent(upTo: end < size ? end : nil) }
    }
  }
}
