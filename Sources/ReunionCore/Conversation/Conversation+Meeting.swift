/// How two sides get to know each other: each says what it holds, and where the other may resume.
extension Conversation {
  /// What the position that the other side presents is worth.
  package enum Resumption: Hashable, Sendable {
    /// All that arrived up to `cursor` is held there, and own changes up to `ownSeq`: those above are
    /// sent, whatever the other side claims (nil: as it says).
    case at(cursor: UInt64, ownSeq: UInt64?)
    /// Only this store can have told the position, and it knows nothing of it: it went back. What it
    /// wrote beyond `ownSeq` is issued anew.
    case rolledBack(ownSeq: UInt64)
  }

  /// The most sites that a vector may name, and the most in one message.
  static let sitesMax = 1 << 18
  static let pullSitesMax = 8192

  /// Sends our pull, in as many messages as the vector needs.
  static func pull(
    _ state: inout State, _ meeting: Meeting, _ position: [UInt8], _ vector: VersionVector
  ) -> [Effect] {
    var meeting = meeting
    var vector = vector
    if vector[meeting.peer.site] > meeting.peer.seq {
      // It holds fewer of its own changes than it once told: all of them must come again.
      vector.remove(meeting.peer.site)
    }
    var effects: [Effect] = []
    var start = 0
    repeat {
      let part = vector.entries[start..<min(start + pullSitesMax, vector.entries.count)]
      start += part.count
      for dot in part { _ = meeting.ourSites.add(dot.site) }
      effects.append(
        .send(
          .pull(
            Pull(
              position: position, vector: VersionVector(sorted: Array(part)),
              isWhole: start == vector.entries.count))))
    } while start < vector.entries.count
    state = .pulling(meeting)
    return effects
  }

  /// Takes a part of the other side's pull, and asks after its position when it is whole.
  static func take(_ state: inout State, _ meeting: Meeting, _ pull: Pull) -> [Effect] {
    var meeting = meeting
    guard meeting.theirSites.count + pull.vector.entries.count <= sitesMax else {
      return end(&state, .protocolError, sentence("The other side names too many sites."))
    }
    for dot in pull.vector.entries {
      guard meeting.theirSites.add(dot.site), dot.seq <= Dot.seqMax else {
        return end(&state, .protocolError, sentence("The other side's pull is malformed."))
      }
    }
    if meeting.told.entries.isEmpty {
      meeting.told = pull.vector
    } else {
      meeting.told.merge(pull.vector)
    }
    guard pull.isWhole else {
      state = .pulling(meeting)
      return []
    }
    state = .resuming(meeting)
    return [.resume(position: pull.position)]
  }

  /// Begins to push, unless the other side's word or its position shows that this store went back.
  static func resume(
    _ state: inout State, _ meeting: Meeting, _ resumption: Resumption, seq: UInt64
  ) -> [Effect] {
    let ours = meeting.ours.site
    switch resumption {
    case .rolledBack(let ownSeq):
      state = .renewing
      return [.renew(beyond: ownSeq)]
    case .at(let cursor, let ownSeq):
      var live = Live(meeting, cursor: cursor, ownSeq: ownSeq)
      if meeting.told[ours] > seq {
        guard !meeting.terms.believesPeer else {
          state = .renewing
          return [.renew(beyond: nil)]
        }
        // Whoever may not say so is told everything of ours, and can force nothing.
        live.theirs.remove(ours)
        live.held.remove(ours)
        live.reading.after = 0
        live.reading.ownSeq = 0
      }
      let effects = live.beginPush()
      state = .live(live)
      return effects
    }
  }
}
