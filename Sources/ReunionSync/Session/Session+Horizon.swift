import ReunionCore
import ReunionFlow
import ReunionStore

/// What was deleted long ago is gone at one side, and goes at the other (docs/protocol.md 2.25).
extension Session {
  /// Whether deletes are gone at either side: only then is it of matter what comes whole.
  func areDeletesGone() throws -> Bool {
    if work.withLock({ $0.isToldOfHorizon }) { return true }
    return try store.isPastClosed(in: configuration.space)
  }

  /// Whether what came back after a delete goes whole, and is named: the other side may have let it go.
  func goesWhole() throws -> Bool {
    let takesNames = work.withLock { $0.features.takesWhole }
    return try takesNames && areDeletesGone()
  }

  /// Judges whether the other side may lack deletes that are gone here: then what it presents is worth that. Of the
  /// server whose horizon is followed here nobody asks it: its word stands.
  func judge(
    _ position: [UInt8], _ told: VersionVector, isBeyond: Bool
  ) throws -> Conversation.Resumption? {
    let (space, ownOnly) = (configuration.space, configuration.sendsOwnOnly)
    let horizon = try store.horizon(of: space)
    work.withLock { $0.judgedHorizon = horizon }
    let found = try store.isBehind(
      position, told, isBeyond: isBeyond, reached: work.withLock { $0.reached }, in: space,
      ownOnly: ownOnly)
    guard let found, let peer, try !store.follows(peer.site, in: space),
      try !store.mustRelearn(from: peer.site, in: space)
    else { return nil }
    let takesIt = work.withLock { $0.features.takesHorizon }
    guard found == .behind, configuration.dialsServer, !takesIt else { return found }
    // A server does not take anew what it serves: it is believed. This session ends by that.
    try store.relearn(from: peer.site, in: space)
    return nil
  }

  /// Tells that deletes are gone here, and up to where, if that may be followed; and of which others all is held.
  func tellHorizon() throws {
    let features = work.withLock { $0.features }
    if features.takesReached, !configuration.dialsServer, !configuration.isLeaf {
      let reached = try store.reached(in: configuration.space)
      if !reached.isEmpty { send(.reached(reached)) }
    }
    guard features.takesHorizon else { return }
    guard try store.isPastClosed(in: configuration.space) else { return }
    let horizon = try store.horizon(of: configuration.space)
    send(.horizon(configuration.tellsHorizon ? horizon : 0))
  }

  /// Hears what the other side holds of others. It counts of those who may change everything, before they pull.
  func hear(_ reached: [Reached]) {
    guard configuration.authority == .all else { return }
    work.withLock { $0.reached = reached.filter { $0.site.device != 0 } }
  }

  /// Hears that deletes are gone at the other side.
  func hear(ofHorizon arrival: UInt64) throws {
    guard configuration.authority == .all else { return }
    work.withLock { work in
      work.isToldOfHorizon = true
      if arrival > 0 { work.horizon = arrival }
    }
    try followHorizon()
  }

  /// Whether the other side lacks none of the deletes that are gone here by now: it held them when it was asked, or has
  /// acknowledged them since. If it may lack one, the session ends: the other side would not hear of it, nor this one of
  /// what else the other side has of that record. It comes again, and is asked once more.
  func isSound() throws -> Bool {
    guard case .live(let live) = state.value else { return true }
    let horizon = try store.horizon(of: configuration.space)
    guard horizon > work.withLock({ $0.judgedHorizon }), !bugs.sessionGoesOnBelow else {
      return true
    }
    guard
      try live.provenCursor >= horizon
        || store.follows(live.peer.site, in: configuration.space)
    else {
      endOutdated()
      return false
    }
    work.withLock { $0.judgedHorizon = horizon }
    return true
  }

  /// Ends a session with a side that may lack what is gone here by now.
  func endOutdated() {
    let sentence = "What was deleted long ago goes: what this device has is looked at again."
    offer(.stop(.goingAway, Array(sentence.utf8)))
  }

  /// Names the records that come whole.
  func sendNames(of whole: [RecordName]) {
    for start in stride(from: 0, to: whole.count, by: Message.wholeMax) {
      send(.whole(Array(whole[start..<min(start + Message.wholeMax, whole.count)])))
    }
  }

  /// Hears which records of the push that is coming in are whole.
  func takeNames(_ names: [RecordName]) {
    guard case .live = state.value, configuration.authority == .all else { return }
    let count = work.withLock { work in
      work.isToldOfHorizon = true
      work.whole.formUnion(names)
      return work.whole.count
    }
    if count > Self.wholeNamesMax { violate("The other side names too many records.") }
  }

  /// The most records of a push that come whole after a delete.
  package static let wholeNamesMax = 1 << 20

  /// Follows the other side's horizon once all is held here that stood there.
  func followHorizon() throws {
    guard configuration.followsHorizon, case .live(let live) = state.value, live.hasCaughtUp,
      let horizon = work.withLock({ work -> UInt64? in
        guard work.merging == nil, let told = work.horizon, told <= work.appliedCursor else {
          return nil
        }
        return work.horizon.take()
      })
    else { return }
    try store.follow(live.peer.site, to: horizon, in: configuration.space)
  }
}

extension Session.Configuration {
  /// Whether deletes that are gone at the other side go here, too.
  var followsHorizon: Bool { dialsServer && features.takesHorizon }
}

extension Conversation.Resumption {
  /// Whether this side went back.
  var isRolledBack: Bool {
    if case .rolledBack = self { true } else { false }
  }
}
