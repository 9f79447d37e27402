import ReunionCore
import ReunionStore

/// The order of blobs on a slow link: the small ones first, so that every preview comes before any original.
package struct BlobOrder: Hashable, Sendable {
  /// The most bytes of a blob that nobody asked for.
  package var bytesMax: UInt64

  /// Makes an order.
  package init(bytesMax: UInt64) { self.bytesMax = bytesMax }
}

/// Which blobs a session fetches, one at a time on each lane, and which it waits for.
///
/// A value: it decides; the session reads, writes and sends. *Limits*: it holds 1,024 blobs of each lane that are
/// to be fetched, and finds the others in the store when it has done with these; 8,192 that the other
/// side lacks; and those that other sessions receive just now, which are as many as these sessions.
struct BlobExchange {
  /// The ways of blobs: what is under way on one holds up nothing on the other, and the other side sends what is small
  /// first.
  enum Lane: CaseIterable {
    case previews, originals

    init(_ blob: BlobReference) {
      self = blob.byteCount <= BlobPolicy.previewBytesMax ? .previews : .originals
    }
  }

  /// A blob that the other side was asked for.
  struct Fetch {
    let blob: BlobReference
    /// Whether somebody asked for it.
    var isAsked = false
    /// Set once it was asked for.
    var transfer: BlobTransfer?
    /// Where the next piece must begin.
    var end: UInt64 = 0
    /// Its size, as the first piece tells it.
    var byteCount: UInt64?
    /// The most that it may have: what the records say that name it.
    var byteCountMax: UInt64
    /// Whether every byte comes from the other side, so that it answers for all of them.
    var isAllTheirs = false
  }

  /// What becomes of a piece.
  enum Verdict {
    /// It follows on what is here: keep it, and complete the blob where it ends there.
    case keep(BlobTransfer, isLast: Bool)
    /// It belongs to an earlier wish.
    case ignore
    /// The blob is longer than every record says that names it: it is not taken.
    case tooLong(BlobTransfer)
    /// No replica sends it.
    case violation
  }

  /// A blob that another session receives.
  private struct Wait {
    let blob: BlobReference
    let isAsked: Bool
    var progress: BlobProgress
    var beats = 0
  }

  /// A blob to fetch, and the transfer that it replaces if one stands still.
  struct Turn {
    let blob: BlobReference
    var stalled: BlobProgress?
    var isAsked = false
  }

  static let queueMax = 1024
  static let lackingMax = 8192
  /// Beats without a piece after which another session's transfer is taken over; twice as many each
  /// time, so that two links that need longer for a piece do not end each other for ever.
  private var patienceBeats = 6

  /// In which order they are fetched; nil for as they come.
  var order: BlobOrder?
  private var queue: [Turn] = []
  private var queued: Set<BlobHash> = []
  /// What is under way, at most one on each lane.
  private var fetches: [Fetch] = []
  private var waits: [BlobHash: Wait] = [:]
  private(set) var lacking: Set<BlobHash> = []
  /// The walks through all that are missing, one for each lane, and the last blob of the store that each came to.
  private var walks: [Lane: Walk] = [:]
  private(set) var isOver = false

  private struct Walk { var last: BlobHash? }

  var isWaiting: Bool { !waits.isEmpty }
  /// Whether anything is still to come from the other side.
  var isUnfinished: Bool { !fetches.isEmpty || !queue.isEmpty || !walks.isEmpty }

  // MARK: What is to be fetched

  /// Queues a blob as the next to fetch, whatever the order says.
  mutating func ask(for blob: BlobReference) {
    lacking.remove(blob.hash)
    queue.removeAll { $0.blob.hash == blob.hash }
    queued.remove(blob.hash)
    guard !isKnown(blob.hash) else { return }
    append(Turn(blob: blob, isAsked: true))
  }

  /// Goes by another order from now on: what it does not bring unasked waits until somebody asks.
  mutating func follow(_ order: BlobOrder?) {
    self.order = order
    let turns = queue
    (queue, queued) = ([], [])
    for turn in turns where turn.isAsked || isInOrder(turn.blob) { append(turn) }
  }

  /// Fetches nothing more. The transfers under way are to be ended.
  mutating func stop() -> [BlobTransfer] {
    (queue, queued, waits, walks) = ([], [], [:], [:])
    defer { fetches = [] }
    return fetches.compactMap(\.transfer)
  }

  private func isInOrder(_ blob: BlobReference) -> Bool {
    blob.byteCount <= order?.bytesMax ?? .max
  }

  /// Notes blobs to fetch; those that the other side said it lacks wait until it has them.
  mutating func want(_ blobs: [BlobReference]) {
    for blob in blobs where !isKnown(blob.hash) && isInOrder(blob) {
      let lane = Lane(blob)
      if queue.count(where: { Lane($0.blob) == lane }) < Self.queueMax {
        append(Turn(blob: blob))
      } else {
        // It is found in the store.
        walks[lane] = Walk()
      }
    }
  }

  private func isKnown(_ hash: BlobHash) -> Bool {
    isFetched(hash) || queued.contains(hash) || waits[hash] != nil || lacking.contains(hash)
  }

  private mutating func append(_ turn: Turn) {
    guard queued.insert(turn.blob.hash).inserted else { return }
    // What somebody asked for comes first; what comes unasked as it came, or the small ones first.
    guard turn.isAsked || order != nil else { return queue.append(turn) }
    let place = queue.firstIndex { other in
      if turn.isAsked || other.isAsked { return !other.isAsked }
      return other.blob.byteCount > turn.blob.byteCount
    }
    queue.insert(turn, at: place ?? queue.count)
  }

  /// Begins to fetch all missing blobs, from the first on.
  mutating func beginWalk() { for lane in Lane.allCases { walks[lane] = Walk() } }

  /// A lane on which nothing is to be fetched, the blob after which to ask the store for more missing ones, and how
  /// many to ask for; nil if there is no need.
  var page: (lane: Lane, after: BlobHash?, limit: Int)? {
    guard !isOver else { return nil }
    for lane in Lane.allCases {
      if let walk = walks[lane], !isBusy(lane), !isQueued(lane) {
        return (lane, walk.last, Self.queueMax)
      }
    }
    return nil
  }

  private func isBusy(_ lane: Lane) -> Bool { fetches.contains { Lane($0.blob) == lane } }

  private func isQueued(_ lane: Lane) -> Bool { queue.contains { Lane($0.blob) == lane } }

  /// Takes what the store answered to `page`, as far as it is of that lane.
  mutating func take(page: [BlobReference], of lane: Lane) {
    walks[lane] = page.count < Self.queueMax ? nil : Walk(last: page.last?.hash)
    for blob in page where Lane(blob) == lane && !isKnown(blob.hash) && isInOrder(blob) {
      append(Turn(blob: blob))
    }
  }

  /// The next blob whose lane is free.
  mutating func next() -> Turn? {
    guard !isOver, let place = queue.firstIndex(where: isNext) else { return nil }
    let turn = queue.remove(at: place)
    queued.remove(turn.blob.hash)
    fetches.append(
      Fetch(blob: turn.blob, isAsked: turn.isAsked, byteCountMax: turn.blob.byteCount))
    return turn
  }

  private func isNext(_ turn: Turn) -> Bool {
    let lane = Lane(turn.blob)
    guard !isBusy(lane) else { return false }
    guard order != nil, lane == .originals, !turn.isAsked else { return true }
    // On a slow link nothing takes room from previews.
    return !isBusy(.previews) && !isQueued(.previews) && walks[.previews] == nil
  }

  // MARK: The blobs under way

  /// The place of a blob that is under way; nil where it is not.
  private func place(of hash: BlobHash) -> Int? { fetches.firstIndex { $0.blob.hash == hash } }

  /// Whether a blob is under way.
  func isFetched(_ hash: BlobHash) -> Bool { place(of: hash) != nil }

  /// A blob that is under way; nil where it is not.
  func fetch(of hash: BlobHash) -> Fetch? { place(of: hash).map { fetches[$0] } }

  /// Notes that a record gives a blob under way `byteCount` bytes.
  mutating func allow(_ byteCount: UInt64, of hash: BlobHash) {
    guard let place = place(of: hash) else { return }
    fetches[place].byteCountMax = max(fetches[place].byteCountMax, byteCount)
  }

  /// The other side is asked for a blob under way, from an offset on.
  mutating func ask(_ transfer: BlobTransfer, from offset: UInt64) {
    guard let place = place(of: transfer.blob.hash) else { return }
    fetches[place].transfer = transfer
    fetches[place].end = offset
    fetches[place].byteCount = nil
    fetches[place].isAllTheirs = offset == 0
  }

  mutating func judge(_ piece: BlobPiece) -> Verdict {
    guard let place = place(of: piece.hash), let transfer = fetches[place].transfer else {
      return .ignore
    }
    let fetch = fetches[place]
    let (end, overflow) = piece.offset.addingReportingOverflow(UInt64(piece.bytes.count))
    guard !overflow, end <= piece.byteCount, !piece.bytes.isEmpty || end == piece.byteCount,
      fetch.byteCount == nil || fetch.byteCount == piece.byteCount
    else { return .violation }
    guard piece.byteCount <= fetch.byteCountMax else { return .tooLong(transfer) }
    // What is here is longer than the blob: it comes from its start.
    let isAnew = piece.offset == 0 && piece.byteCount < fetch.end
    guard piece.offset == fetch.end || isAnew else { return .ignore }
    if isAnew { fetches[place].isAllTheirs = true }
    fetches[place].end = end
    fetches[place].byteCount = piece.byteCount
    return .keep(transfer, isLast: end == piece.byteCount)
  }

  /// Ends the fetch of a blob, whether it came whole or not; its transfer is to be ended.
  mutating func endFetch(of hash: BlobHash) -> BlobTransfer? {
    place(of: hash).flatMap { fetches.remove(at: $0).transfer }
  }

  /// Ends the fetch of a blob, and puts it back into the queue.
  mutating func putBack(_ hash: BlobHash) -> BlobTransfer? {
    guard let place = place(of: hash) else { return nil }
    let fetch = fetches.remove(at: place)
    append(Turn(blob: fetch.blob, isAsked: fetch.isAsked))
    return fetch.transfer
  }

  /// The other side does not hold a blob, or other bytes: it is asked for it again once it says that
  /// it arrived there.
  mutating func lacks(_ hash: BlobHash) {
    if lacking.count < Self.lackingMax { lacking.insert(hash) }
  }

  /// Blobs have arrived at the other side; whether it lacked one.
  mutating func arrived(_ hashes: [BlobHash]) -> Bool {
    let before = lacking.count
    lacking.subtract(hashes)
    return lacking.count != before || before == Self.lackingMax
  }

  /// A blob is held here by now.
  mutating func isHeld(_ hash: BlobHash) { lacking.remove(hash) }

  // MARK: Blobs that other sessions receive

  /// Another session receives a blob under way, and is so far.
  mutating func wait(_ progress: BlobProgress, for hash: BlobHash) {
    guard let fetch = fetch(of: hash) else { return }
    waits[hash] = Wait(blob: fetch.blob, isAsked: fetch.isAsked, progress: progress)
  }

  /// Another session's transfer of a blob is over: it is this one's turn, or that of whoever is first.
  mutating func freed(_ hash: BlobHash) {
    guard let wait = waits.removeValue(forKey: hash) else { return }
    append(Turn(blob: wait.blob, isAsked: wait.isAsked))
  }

  /// A while has passed: takes its turn where another session's transfer stands still.
  mutating func beat(_ progress: (BlobHash) -> BlobProgress?) {
    for (hash, wait) in waits {
      guard progress(hash) == wait.progress else {
        if let new = progress(hash) {
          waits[hash] = Wait(blob: wait.blob, isAsked: wait.isAsked, progress: new)
        } else {
          freed(hash)
        }
        continue
      }
      waits[hash]?.beats += 1
      let lane = Lane(wait.blob)
      guard wait.beats + 1 >= patienceBeats, !isBusy(lane), !isQueued(lane) else { continue }
      waits[hash] = nil
      append(Turn(blob: wait.blob, stalled: wait.progress, isAsked: wait.isAsked))
      patienceBeats *= 2
      return
    }
  }

  /// The session is over: nothing more is fetched. Its transfers are to be ended.
  mutating func end() -> [BlobTransfer] {
    (isOver, lacking) = (true, [])
    return stop()
  }
}
