import ReunionCore
import ReunionFlow
import ReunionStore

extension Session {
  /// How many blobs of those that are missing now the other side was asked for and does not hold
  /// either, or not as they were. Cost: O(missing blobs) where it lacks any.
  package var lackedBlobCount: Int {
    let lacking = work.withLock { $0.blobs.lacking }
    guard !lacking.isEmpty else { return 0 }
    // What no record names any more nobody lacks.
    guard let missing = try? store.blobs.missing(in: configuration.space) else {
      return lacking.count
    }
    return missing.count { lacking.contains($0.hash) }
  }

  /// Fetches these blobs one after the other on each lane, each from where a killed transfer left it.
  func fetchBlobs(_ blobs: [BlobReference]) throws {
    work.withLock { $0.blobs.want(blobs) }
    try fetchNext()
  }

  /// Fetches everything that the space names and this store lacks.
  func fetchMissingBlobs() throws {
    guard fetchesBlobs else { return }
    let asked = try store.blobs.asked(in: configuration.space)
    work.withLock { work in
      for blob in asked { work.blobs.ask(for: blob) }
      // Where nothing comes unasked, nothing is looked for.
      if work.blobPolicy.bytesMax != 0 { work.blobs.beginWalk() }
    }
    try fetchNext()
  }

  func handleBlob(_ message: Message) throws {
    switch message {
    case .want(let hash, let offset):
      // Another space of this store may name it.
      if configuration.servesNamedBlobsOnly,
        try store.blobs.byteCountNamed(of: hash, in: configuration.space) == 0
      {
        return send(.lack(hash))
      }
      guard work.withLock({ $0.wishes.add(.init(hash: hash, offset: offset)) }) else {
        return violate("More than \(BlobWishes.countMax) blobs were wanted at once.")
      }
      // A push that waits goes on when nothing is queued: what is wanted meanwhile comes after that, or it would wait
      // for ever.
      let isPushWaiting = work.withLock { $0.waiting != nil }
      if !isPushWaiting || link.queuedBlobBytes == 0 { sendBlobPieces() }
    case .blob(let piece): try receive(piece)
    case .lack(let hash):
      let fetch = work.withLock { work in
        work.blobs.lacks(hash)
        return work.blobs.fetch(of: hash)
      }
      guard let fetch else { return }
      try endFetch(of: hash)
      seek(fetch.blob)
    case .have(let hashes):
      if work.withLock({ $0.blobs.arrived(hashes) }) { try fetchMissingBlobs() }
    default: break
    }
  }

  /// What tells of blobs that other sessions receive, or that arrive in another way.
  func blobObservations() -> [SignalSubscription] {
    let arrivals = store.blobs.observeArrivals { [weak self] hash in
      guard let self else { return }
      self.execute { self.arrived(hash) }
    }
    let transfers = store.blobs.observeTransfers { [weak self] hash in
      guard let self, self.fetchesBlobs else { return }
      self.execute { self.perform { try self.freed(hash) } }
    }
    let sought = store.blobs.observeSought { [weak self] sought in
      guard let self, self.fetchesBlobs else { return }
      guard sought.space == self.configuration.space else { return }
      self.execute { self.perform { try self.find(sought.blob) } }
    }
    let space = configuration.space
    let policies = store.blobs.observePolicies { [weak self] changed in
      guard let self, changed == space else { return }
      self.execute {
        self.perform {
          try self.followBlobPolicy()
          if case .live = self.state.value { try self.fetchMissingBlobs() }
        }
      }
    }
    let askings = store.blobs.observeAsked { [weak self] asked, blob in
      if asked == space { self?.fetch(blob) }
    }
    return [arrivals, transfers, sought, policies, askings]
  }

  /// Whether this side fetches any blobs.
  var fetchesBlobs: Bool {
    configuration.fetchesBlobs && work.withLock { $0.blobPolicy != .none }
  }

  /// Goes by the device's policy, and by the link's order.
  func followBlobPolicy() throws {
    guard configuration.fetchesBlobs else { return }
    let policy = try store.blobs.policy(in: configuration.space)
    let most = [policy.bytesMax, configuration.blobOrder?.bytesMax].compactMap { $0 }.min()
    let stopped = work.withLock { work -> [BlobTransfer] in
      work.blobPolicy = policy
      work.blobs.follow(most.map { BlobOrder(bytesMax: $0) })
      return policy == .none ? work.blobs.stop() : []
    }
    for transfer in stopped { transfer.end() }
  }

  /// Ends what is under way: what has arrived of a blob is left for another session.
  func endBlobs() {
    let (isUnfinished, transfers, beats) = work.withLock { work in
      work.wishes.end()
      defer { (work.blobBeat, work.unreadBeat) = (nil, nil) }
      return (work.blobs.isUnfinished, work.blobs.end(), [work.blobBeat, work.unreadBeat])
    }
    for beat in beats { beat?.cancel() }
    for transfer in transfers { transfer.end() }
    if isUnfinished { seek(nil) }
  }
}

// What is fetched.
extension Session {
  func fetchNext() throws {
    while fetchesBlobs {
      if let page = work.withLock({ $0.blobs.page }) {
        let blobs = try store.blobs.missing(
          in: configuration.space, after: page.after, limit: page.limit)
        work.withLock { $0.blobs.take(page: blobs, of: page.lane) }
      }
      if let turn = work.withLock({ $0.blobs.next() }) {
        try begin(turn)
      } else if work.withLock({ $0.blobs.page == nil }) {
        return
      } else {
        // Between two pages others have their turns.
        return execute { self.perform { try self.fetchNext() } }
      }
    }
  }

  /// Begins to fetch a blob, unless there is nothing to ask for just now.
  private func begin(_ turn: BlobExchange.Turn) throws {
    let hash = turn.blob.hash
    do {
      switch try store.blobs.receive(
        turn.blob, in: configuration.space, insteadOf: turn.stalled)
      {
      case .begun(let transfer):
        let named = try store.blobs.byteCountNamed(of: hash, in: configuration.space)
        guard configuration.allowance?.takesBlob(named) ?? true else {
          transfer.end()
          work.withLock { $0.blobs.lacks(hash) }
          break
        }
        work.withLock { $0.blobs.allow(named, of: hash) }
        return ask(transfer, from: try transfer.byteCount())
      case .held: break
      case .elsewhere(let progress): wait(progress, for: hash)
      }
    } catch {
      // One blob keeps no other back.
      guard (error as? StoreError)?.isOfOneBlob == true else { throw error }
      work.withLock { $0.blobs.lacks(hash) }
    }
    work.withLock { $0.blobs.endFetch(of: hash) }?.end()
  }

  private func ask(_ transfer: BlobTransfer, from offset: UInt64) {
    work.withLock { $0.blobs.ask(transfer, from: offset) }
    send(.want(transfer.blob.hash, offset: offset))
  }

  /// Ends the fetch of a blob, and goes on with the next.
  private func endFetch(of hash: BlobHash) throws {
    work.withLock { $0.blobs.endFetch(of: hash) }?.end()
    try fetchNext()
  }

  private func receive(_ piece: BlobPiece) throws {
    switch work.withLock({ $0.blobs.judge(piece) }) {
    case .ignore: return
    case .violation: violate("A piece of a blob does not fit into its blob.")
    case .tooLong(let transfer):
      work.withLock { $0.blobs.lacks(piece.hash) }
      try endFetch(of: piece.hash)
      seek(transfer.blob)
    case .keep(let transfer, let isLast):
      do {
        try transfer.append(offset: piece.offset, bytes: piece.bytes)
        guard isLast else { return }
        // The size that a record names may be wrong; the hash decides.
        try transfer.complete(byteCount: piece.byteCount)
      } catch let error as StoreError where error.isOfOneBlob {
        return try received(transfer, error)
      }
      try endFetch(of: piece.hash)
    }
  }

  /// A blob did not come whole; the others are fetched in any case.
  private func received(_ transfer: BlobTransfer, _ error: StoreError) throws {
    let hash = transfer.blob.hash
    let fetch = work.withLock { $0.blobs.fetch(of: hash) }
    switch error.code {
    case .inUse: return try taken(hash)
    case .blobMismatch where fetch?.isAllTheirs == false:
      // The bytes that were here may be what was wrong.
      return ask(transfer, from: 0)
    default: work.withLock { $0.blobs.lacks(hash) }
    }
    try endFetch(of: hash)
    if error.code == .blobMismatch { seek(transfer.blob) }
  }

  private func arrived(_ hash: BlobHash) {
    let isAwaited = work.withLock { work in
      work.blobs.isHeld(hash)
      return work.wishes.arrived(hash)
    }
    if isAwaited { announce([hash]) }
  }
}

// What other sessions fetch.
extension Session {
  /// Has the other sessions ask for a blob, or for all that is missing: the other side cannot bring it.
  private func seek(_ blob: BlobReference?) {
    guard !bugs.blobAskedOfOneAlone else { return }
    store.blobs.seek(blob, in: configuration.space)
  }

  /// Asks for what another session could not bring.
  private func find(_ blob: BlobReference?) throws {
    guard work.withLock({ $0.hasLookedForBlobs }) else { return }
    if let blob { try fetchBlobs([blob]) } else { try fetchMissingBlobs() }
  }

  /// Has a blob under way wait for another session.
  private func wait(_ progress: BlobProgress, for hash: BlobHash) {
    let mustBeat = work.withLock { work in
      work.blobs.wait(progress, for: hash)
      return work.blobBeat == nil && work.blobs.isWaiting
    }
    guard mustBeat else { return }
    let beat = Pendulum(every: .seconds(5), clock: clock) { [weak self] _ in
      guard let self else { return }
      self.execute { self.perform { try self.beat() } }
    }
    work.withLock { $0.blobBeat = beat }
  }

  private func freed(_ hash: BlobHash) throws {
    let fetch = work.withLock { work in
      work.blobs.freed(hash)
      return work.blobs.fetch(of: hash)
    }
    if fetch?.transfer?.isOver == true { return try taken(hash) }
    try fetchNext()
  }

  /// Another session has taken the place of a blob's transfer: the blob waits, or is held.
  private func taken(_ hash: BlobHash) throws {
    work.withLock { $0.blobs.putBack(hash) }?.end()
    try fetchNext()
  }

  private func beat() throws {
    work.withLock { work in work.blobs.beat { store.blobs.progress(of: $0) } }
    try fetchNext()
    let idle = work.withLock { work in
      work.blobs.isWaiting ? nil : work.blobBeat.take()
    }
    idle?.cancel()
  }

  private func perform(_ body: () throws -> Void) {
    do { try body() } catch { fail(error) }
  }
}

// What is sent.
extension Session {
  /// Sends pieces of the wanted blobs while the link takes them.
  func sendBlobPieces() {
    while let wish = work.withLock({ $0.wishes.first }), hasRoom(for: wish) {
      do {
        let reader = try reader(of: wish.hash)
        // The smallest goes first, now that one knows how large this is.
        guard work.withLock({ $0.wishes.first?.hash == wish.hash }) else { continue }
        let size = reader.blob.byteCount
        // The other side may hold more bytes than the blob has: it begins again.
        let offset = wish.offset > size ? 0 : wish.offset
        let bytes = try reader.read(offset: offset, count: configuration.blobPieceBytesMax)
        guard !bytes.isEmpty || offset == size else { throw MissingBytes() }
        send(
          .blob(BlobPiece(hash: wish.hash, byteCount: size, offset: offset, bytes: bytes)))
        let end = offset + UInt64(bytes.count)
        work.withLock { $0.wishes.sent(wish.hash, upTo: end < size ? end : nil) }
      } catch {
        // What cannot be read is not held. A disk may fail once, and not the next time.
        let isHeld = (try? store.blobs.isNoted(wish.hash)) ?? true
        send(.lack(wish.hash))
        work.withLock { $0.wishes.owe(wish.hash, isHeld: isHeld) }
        if isHeld, !bugs.unreadBlobForgotten { announceUnreadLater() }
      }
    }
  }

  /// Whether a piece may be queued now. Little of an original is, so that a preview which is wanted soon waits for little.
  private func hasRoom(for wish: BlobWishes.Wish) -> Bool {
    let isOriginal = wish.byteCount.map { $0 > BlobPolicy.previewBytesMax } ?? false
    let bytesMax = isOriginal ? Self.originalBytesSoftMax : .max
    return link.queuedBlobBytes < min(link.queuedBytesSoftMax, bytesMax)
  }

  private static var originalBytesSoftMax: Int { 4 * Message.bytesSoftMax }

  /// Offers what could not be read again, every 30 s until it can be or is gone.
  private func announceUnreadLater() {
    guard work.withLock({ $0.unreadBeat == nil }) else { return }
    let beat = Pendulum(every: .seconds(30), clock: clock) { [weak self] _ in
      guard let self else { return }
      self.execute {
        let (hashes, idle) = self.work.withLock { work in
          let hashes = work.wishes.takeUnread()
          return (hashes, hashes.isEmpty ? work.unreadBeat.take() : nil)
        }
        idle?.cancel()
        if !hashes.isEmpty { self.announce(hashes) }
      }
    }
    work.withLock { $0.unreadBeat = beat }
  }

  private func reader(of hash: BlobHash) throws -> BlobReader {
    let open = work.withLock { $0.wishes.reader }
    if let open, open.blob.hash == hash { return open }
    let reader = try store.blobs.reader(of: hash, in: configuration.space)
    work.withLock { $0.wishes.opened(reader) }
    return reader
  }
}

/// A blob's file ends before its size.
private struct MissingBytes: Error {}

extension StoreError {
  /// Whether it concerns one blob, so that others can be fetched.
  fileprivate var isOfOneBlob: Bool {
    [.blobMismatch, .blobErased, .wrongOffset, .inUse, .valueTooLarge].contains(code)
  }
}
