package import ReunionCore
import ReunionDisk
import ReunionFlow

/// What is under way with the blobs of a store: who receives which, and who wants to hear of it.
final class BlobTransfers: Sendable {
  /// Told when a blob is held that was not.
  let arrived = Observers<BlobHash>()
  /// Told when somebody else may receive a blob.
  let freed = Observers<BlobHash>()
  /// Told when who was asked for a blob cannot bring it, so that others may be asked.
  let sought = Observers<SoughtBlobs>()
  /// Told of a space whose policy is another.
  let policies = Observers<SpaceID>()
  /// Told of a blob that somebody asks for.
  let askings = Observers<AskedBlob>()

  /// The most blobs of a space that are kept in mind since somebody asked for them.
  static let askedMax = 64

  private let turns = Lock<[BlobHash: BlobTurn]>([:])
  private let steps = Lock<UInt64>(0)
  private let departures = Lock<UInt64>(0)
  private let asked = Lock<[SpaceID: [BlobReference]]>([:])

  /// Begins a turn if the blob has none, or if the present one stands where `stalled` says. Returns
  /// the turn and the one that it replaces, or else how far the other is.
  func begin(
    _ hash: BlobHash, insteadOf stalled: BlobProgress?, isShared: Bool
  ) -> (turn: BlobTurn?, old: BlobTurn?, progress: BlobProgress) {
    let new = BlobTurn(step())
    return turns.withLock { turns in
      let old = turns[hash]
      if let old, !isShared, old.progress != stalled { return (nil, nil, old.progress) }
      turns[hash] = new
      return (new, isShared ? nil : old, new.progress)
    }
  }

  /// Keeps in mind that somebody asks for a blob, and tells the sessions.
  func ask(for blob: BlobReference, in space: SpaceID) {
    asked.withLock { asked in
      asked[space, default: []].removeAll { $0.hash == blob.hash }
      asked[space, default: []].append(blob)
      if asked[space, default: []].count > Self.askedMax { asked[space]?.removeFirst() }
    }
    askings.tell(AskedBlob(space: space, blob: blob))
  }

  /// What somebody asked for of a space, be it here by now.
  func asked(in space: SpaceID) -> [BlobReference] { asked.withLock { $0[space] ?? [] } }

  /// Ends a turn; after this another may begin.
  func end(_ turn: BlobTurn, of hash: BlobHash) {
    let isFreed = turns.withLock { turns in
      guard turns[hash] === turn else { return false }
      turns[hash] = nil
      return true
    }
    if isFreed { freed.tell(hash) }
  }

  /// How far the transfer of a blob is; nil if there is none.
  func progress(of hash: BlobHash) -> BlobProgress? { turns.withLock { $0[hash] }?.progress }

  /// Has the transfer of an erased blob take no more of it.
  func erased(_ hash: BlobHash) { turns.withLock { $0[hash] }?.erase() }

  /// A number that nothing had before.
  func step() -> BlobProgress {
    steps.withLock { steps in
      steps += 1
      return BlobProgress(step: steps)
    }
  }

  /// How often something was erased or lost: who reads a blob looks again when it has changed.
  var departureCount: UInt64 { departures.withLock { $0 } }

  func noteDeparture() { departures.withLock { $0 += 1 } }
}

/// What a session could not bring of the blobs that a space lacks.
package struct SoughtBlobs: Sendable {
  package let space: SpaceID
  /// Nil: it may be any that the space lacks.
  package let blob: BlobReference?
}

/// A blob that somebody asks for.
struct AskedBlob: Sendable {
  let space: SpaceID
  let blob: BlobReference
}

/// How far the transfer of a blob was at one moment; of two that are equal nothing came between.
package struct BlobProgress: Hashable, Sendable {
  fileprivate let step: UInt64
}

/// The time in which one transfer alone writes what has arrived of a blob.
final class BlobTurn: Sendable {
  struct Work {
    /// The file of what has arrived, once something was written.
    var file: (any DiskFile)?
    /// Whether a list tells which chunks are there.
    var isChunked = false
    var isOver = false
  }

  /// Held for the length of each write, and of the check at the end.
  let work = Lock(Work())
  // Of their own, so that neither waits for a disk.
  private let latest: Lock<BlobProgress>
  private let erasure = Lock(false)

  init(_ progress: BlobProgress) { latest = Lock(progress) }

  var progress: BlobProgress { latest.withLock { $0 } }
  var isErased: Bool { erasure.withLock { $0 } }

  func advance(to progress: BlobProgress) { latest.withLock { $0 = progress } }

  func erase() { erasure.withLock { $0 = true } }

  /// Returns when nothing is written any more, and says whether it went on until now.
  @discardableResult
  func end() -> Bool {
    work.withLock { work in
      defer { work = Work(file: nil, isChunked: false, isOver: true) }
      return !work.isOver
    }
  }
}
