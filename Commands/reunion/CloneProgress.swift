import Reunion

/// How far a clone is, as of one look.
struct CloneProgress {
  let fields: [String: any Sendable]
  let sentence: String
  let missing: Int
  /// Nothing more can be had just now; blobs may be missing.
  let isComplete: Bool
  let blocked: String?

  /// Why a clone that was to be made once is not whole.
  var gap: String {
    "\(missing.counted("blob is", "blobs are")) missing: the other side does not have them either. Run clone again later."
  }

  init(
    _ replica: Replica, _ spaces: [SpaceID], _ connections: [Connection], once: Bool
  ) throws {
    let counts = try replica.store.counts()
    missing = try spaces.reduce(0) { try $0 + replica.store.blobs.missing(in: $1).count }
    let states = connections.map(\.state.value)
    let hasCaughtUp = connections.allSatisfy { connection in
      if case .live(let live) = connection.conversation.value { live.hasCaughtUp } else { false }
    }
    blocked =
      states.lazy.compactMap { state in
        if case .blocked(let reason) = state { reason } else { nil }
      }.first
    // What the other side lacks as well, such as a photo that is still on a phone, comes later.
    let lacked = connections.reduce(0) { $0 + $1.lackedBlobCount }
    isComplete = hasCaughtUp && missing <= lacked
    let waiting = states.lazy.compactMap { state in
      if case .waiting(_, _, let reason) = state { reason } else { nil }
    }.first
    let isWhole = isComplete && missing == 0
    let state =
      isWhole ? "live" : isComplete ? "incomplete" : waiting == nil ? "copying" : "waiting"
    fields = [
      "records": counts.records, "blobs": counts.blobs, "missing": missing, "state": state,
    ]
    let held = "\(counts.records.counted("record")) and \(counts.blobs.counted("blob")) are here"
    sentence =
      isWhole
      ? "Complete: \(held).\(once ? "" : " It stays live while this runs.")"
      : isComplete
        ? "Everything available is here: \(held). \(missing.counted("blob")) will follow."
        : waiting.map { "Waiting: \($0) \(held)." } ?? "Copying: \(held), \(missing) more to come."
  }
}
