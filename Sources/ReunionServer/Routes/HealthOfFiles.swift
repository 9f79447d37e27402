import ReunionFlow
import ReunionStore

/// What is missing of the files that records name: looked for once a minute at most, since each look
/// costs one at every file.
final class HealthOfFiles: Sendable {
  private struct Look {
    var gaps = BlobGaps()
    var at: ContinuousClock.Instant?
  }
  private let last = Lock(Look())

  /// What a look found, of the last minute where nothing was away then.
  func gaps(of store: Store, now: ContinuousClock.Instant = .now) throws -> BlobGaps {
    let known = last.withLock { $0 }
    // What is away is looked for each time, so that its return is seen at once.
    if let at = known.at, at.duration(to: now) < .seconds(60), known.gaps.away.isEmpty {
      return known.gaps
    }
    let gaps = try store.blobs.gaps()
    last.withLock { $0 = Look(gaps: gaps, at: now) }
    return gaps
  }
}
