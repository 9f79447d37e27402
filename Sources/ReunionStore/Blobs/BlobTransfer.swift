package import ReunionCore
import ReunionDisk
import ReunionFlow

/// What receiving a blob begins with.
package enum BlobReception: Sendable {
  /// The blob is held: there is nothing to ask for.
  case held
  /// Another transfer receives it and is so far: wait until it is over, or take other blobs.
  case elsewhere(BlobProgress)
  /// It is received here.
  case begun(BlobTransfer)

  /// The transfer, where one was begun.
  package var transfer: BlobTransfer? {
    if case .begun(let transfer) = self { transfer } else { nil }
  }
}

/// A blob that is being received: one alone writes what has arrived of it, in `partial/HASH`.
///
/// It goes on from what an earlier one left, whoever sent that, and leaves what it has for the next
/// when it ends, which it does at the latest when it is released.
///
///     guard case .begun(let transfer) = try store.blobs.receive(photo) else { return }
///     try transfer.append(offset: try transfer.byteCount(), bytes: rest)
///     try transfer.complete(byteCount: photo.byteCount)
///
/// *Thread*: any. *Durability*: what was written survives the death of the program; what a power cut
/// spoils, `complete` finds. *Errors*: `inUse` where another has taken its place or it is over,
/// `blobErased`, `diskFull`, `ioFailed`.
package final class BlobTransfer: Sendable {
  /// The blob; its size is what the one who wanted it believes.
  package let blob: BlobReference
  /// The space that lacks it.
  let space: SpaceID?
  let store: Store
  let turn: BlobTurn

  var blobs: BlobStore { store.blobs }
  var disk: any Disk { store.options.disk }
  var hash: BlobHash { blob.hash }

  init(_ blob: BlobReference, in space: SpaceID?, _ turn: BlobTurn, in store: Store) {
    self.blob = blob
    self.space = space
    self.turn = turn
    self.store = store
  }

  deinit { end() }

  /// Where to go on: how many bytes have arrived from the start, floored to 64 KiB; never the end.
  package func byteCount() throws -> UInt64 {
    try turn.work.withLock { (work) throws(StoreError) in
      try refuse(work)
      let held = try blobs.partialByteCount(of: hash)
      return held < blob.byteCount ? held : 0
    }
  }

  /// Keeps a piece; what was there from `offset` on goes. Cost: no more than the write, but for the
  /// first.
  ///
  /// - Throws: `wrongOffset` where there are fewer bytes than `offset`.
  package func append(offset: UInt64, bytes: [UInt8]) throws {
    try turn.work.withLock { (work) throws(StoreError) in
      try refuse(work)
      if work.isChunked, try appended(offset, bytes, &work) { return }
      let file = try file(&work)
      let held = try file.byteCount()
      guard offset <= held else { throw blobs.wrongOffset(hash, held) }
      if held > offset { try file.truncate(to: offset) }
      try file.write(bytes, at: offset)
    }
    turn.advance(to: store.blobParts.transfers.step())
  }

  /// Makes what was received a blob: checks, syncs and names it. The transfer is over then.
  ///
  /// - Throws: `blobMismatch` where the bytes are not the blob's: they are thrown away, and the
  ///   transfer begins again. `wrongOffset` where there are fewer than `byteCount`.
  package func complete(byteCount: UInt64) throws {
    try whileAlone { (work) throws(StoreError) in
      try refuse(work)
      try name(byteCount, &work)
    }
    over(hasArrived: true)
  }

  /// Whether it was completed or given up, or another has taken its place.
  package var isOver: Bool { turn.work.withLock { $0.isOver } }

  /// Gives the transfer up: what has arrived stays for the next. Again it does nothing.
  package func end() {
    if store.options.seededBugs.transferOutlivesSession { return }
    if turn.end() { over(hasArrived: false) }
  }

  /// Ends with a whole blob, where one is here already; throws away what cannot be part of it.
  func isHeld() throws -> Bool {
    enum Found { case held, arrived, nothing }
    let found = try whileAlone { (work) throws(StoreError) -> Found in
      try blobs.refuseErased(hash, in: space)
      if try blobs.retains(hash, in: space) {
        try blobs.discardPartial(hash)
        return .held
      }
      if try blobs.adoptUnnamed(hash, in: space) { return .arrived }
      return try adoptPartial(&work) ? .arrived : .nothing
    }
    if found == .nothing { return false }
    turn.end()
    over(hasArrived: found == .arrived)
    return true
  }

  /// Names what an earlier transfer left, where it is whole: nobody is asked for it again.
  private func adoptPartial(_ work: inout BlobTurn.Work) throws(StoreError) -> Bool {
    let chunks = try blobs.partialChunks(of: blob)
    work.isChunked = try disk.exists(blobs.havePath(hash))
    let held = try disk.byteCount(blobs.partialPath(hash)) ?? 0
    if held > blob.byteCount {
      try discard(&work)
      return false
    }
    guard held == blob.byteCount, chunks.missing.isEmpty,
      !store.options.seededBugs.wholePartialNotAdopted
    else { return false }
    do throws(StoreError) {
      try name(held, &work, keepsChunks: true)
      return true
    } catch {
      // It was thrown away and comes anew; of chunks their hashes may tell which are wrong.
      guard error.code == .blobMismatch else { throw error }
      return false
    }
  }

  /// Checks and names what is on the disk, which nobody else writes meanwhile.
  func name(
    _ byteCount: UInt64, _ work: inout BlobTurn.Work, keepsChunks: Bool = false
  ) throws(StoreError) {
    // Opened by its name, so that the bytes that are checked are those that are named.
    work.file = nil
    let file = try disk.open(blobs.partialPath(hash), .writing)
    let held = try file.byteCount()
    guard held >= byteCount else { throw blobs.wrongOffset(hash, held) }
    let hashed = held == byteCount ? try BlobStore.hash(file) : nil
    guard hashed == hash || store.options.seededBugs.receivedBlobNotChecked else {
      if !work.isChunked || !keepsChunks { try discard(&work) }
      throw StoreError(
        .blobMismatch, "What was received is not the blob \(hash.description): send it again.")
    }
    do throws(StoreError) {
      try blobs.keep(file, as: BlobReference(hash: hash, byteCount: byteCount), in: space)
    } catch {
      let isGone = (try? disk.exists(file.path)) == false
      if error.code == .blobErased || isGone { try discard(&work) }
      throw error
    }
    try disk.remove(blobs.havePath(hash))
    work.isOver = true
  }

  func file(_ work: inout BlobTurn.Work) throws(StoreError) -> any DiskFile {
    if let file = work.file { return file }
    let file = try disk.open(blobs.partialPath(hash), .writing)
    work.file = file
    return file
  }

  func discard(_ work: inout BlobTurn.Work) throws(StoreError) {
    work.file = nil
    try blobs.discardPartial(hash)
    work.isChunked = false
  }

  func refuse(_ work: BlobTurn.Work) throws(StoreError) {
    if turn.isErased { throw blobs.erased(hash) }
    guard !work.isOver else {
      throw StoreError(
        .inUse, "Another transfer receives the blob \(hash.description): wait until it is over.")
    }
  }

  func whileAlone<Success>(
    _ body: (inout BlobTurn.Work) throws(StoreError) -> Success
  ) throws(StoreError) -> Success {
    // A session that waits sees by the step that a long check is no standstill.
    turn.advance(to: store.blobParts.transfers.step())
    defer { turn.advance(to: store.blobParts.transfers.step()) }
    return try turn.work.withLock(body)
  }

  func over(hasArrived: Bool) {
    store.blobParts.transfers.end(turn, of: hash)
    if hasArrived { store.blobParts.transfers.arrived.tell(hash) }
  }
}
