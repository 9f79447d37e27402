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
    /// What the other side told is beyond something that is not known here: it must name all that it holds.
    case incomparable
    /// What the other side holds may have been deleted here so long ago that nothing shows it any more.
    case behind
  }

  /// The most sites that a vector may name, and the most in one message.
  static let sitesMax = 1 << 18
  static let pullSitesMax = 8192

  /// Sends our pull, in as many messages as the vector needs.
  static func pull(
    _ state: inout State, _ meeting: Meeting, _ pull: Pull
  ) -> [Effect] {
    var meeting = meeting
    var vector = pull.vector
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
              position: pull.position, vector: VersionVector(sorted: Array(part)),
              isWhole: start == vector.entries.count, isBeyond: pull.isBeyond))))
    } while start < vector.entries.count
    meeting.namedBeyond = pull.isBeyond
    guard let start = meeting.start else {
      state = .pulling(meeting)
      return effects
    }
    var live = Live(meeting, start)
    effects += live.beginPush()
    state = .live(live)
    return effects
  }

  /// Takes a part of the other side's pull, and asks after its position when it is whole.
  static func take(_ state: inout State, _ meeting: Meeting, _ pull: Pull) -> [Effect] {
    var meeting = meeting
    guard meeting.theirSites.count + pull.vector.entries.count <= sitesMax else {
      return end(&state, .protocolError, sentence("The other side names too many sites."))
    }
    guard !pull.isBeyond || meeting.namesBeyond && !meeting.awaitsAll,
      meeting.isEmpty || meeting.isBeyond == pull.isBeyond
    else { return end(&state, .protocolError, sentence("The other side's pull is malformed.")) }
    meeting.isBeyond = pull.isBeyond
    meeting.isEmpty = false
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
    return [.resume(position: pull.position, told: meeting.told, isBeyond: pull.isBeyond)]
  }

  /// Pulls again, and names all that is held; what was pushed so far went for nothing.
  static func nameAll(_ state: inout State, _ meeting: Meeting) -> [Effect] {
    var meeting = meeting
    meeting.namesBeyond = false
    meeting.namedBeyond = false
    meeting.ourSites = SiteNumbers()
    state = .comparing(meeting)
    return [.lookUp(meeting.peer, mayNameBeyond: false)]
  }

  /// Pulls again, and names nothing: what is held here is older than what is gone at the other side.
  static func takeAnew(_ state: inout State, _ meeting: Meeting) -> [Effect] {
    guard !meeting.isTheirsOld else {
      return end(&state, .goingAway, sentence(bothOldSentence))
    }
    guard !meeting.isOursOld else {
      return end(
        &state, .protocolError, sentence("The other side says twice that this one is behind."))
    }
    var meeting = meeting
    meeting.isOursOld = true
    return [.takeAnew] + nameAll(&state, meeting)
  }

  /// What two sides say that may each lack what is gone at the other.
  private static let bothOldSentence: StaticString =
    "Both devices were away for long. Let each meet its server first: then they go on."

  /// While the other side is to name all: what it pushed before it heard that goes for nothing, and may take
  /// minutes. Blobs go on.
  static func awaitAll(_ state: inout State, _ meeting: Meeting, _ event: Event) -> [Effect]? {
    var meeting = meeting
    switch event {
    case .beat:
      guard let effects = meeting.silence.beat() else {
        state = .closed(.silent)
        return [.close]
      }
      state = .pulling(meeting)
      return effects
    case .received(let message):
      meeting.silence.heard(message)
      state = .pulling(meeting)
      switch message {
      case .changes, .part, .refused, .pushEnd, .acknowledge, .fragment, .whole: return []
      case .want, .blob, .lack, .have: return [.blob(message)]
      default: return listen(&state, event)
      }
    default: return listen(&state, event)
    }
  }

  /// Waits for another pull of the other side, and forgets the one that came.
  private static func awaitAnew(_ state: inout State, _ meeting: Meeting) {
    var meeting = meeting
    (meeting.told, meeting.theirSites) = (VersionVector(), SiteNumbers())
    (meeting.isEmpty, meeting.isBeyond, meeting.awaitsAll) = (true, false, true)
    state = .pulling(meeting)
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
    case .incomparable:
      awaitAnew(&state, meeting)
      return [.send(.nameAll)]
    case .behind:
      guard meeting.takesHorizon else {
        return end(
          &state, .notAllowed,
          sentence("This device was away for too long for its version of the app: get a newer one.")
        )
      }
      guard !meeting.isOursOld else {
        return end(&state, .goingAway, sentence(bothOldSentence))
      }
      guard !meeting.isTheirsOld else {
        return end(
          &state, .protocolError, sentence("The other side pulls what it may not go on from."))
      }
      var meeting = meeting
      meeting.isTheirsOld = true
      awaitAnew(&state, meeting)
      return [.send(.behind)]
    case .at(let cursor, let ownSeq):
      let held = Held(upTo: meeting.isBeyond ? cursor : 0, told: meeting.told)
      var live = Live(meeting, Start(cursor: cursor, ownSeq: ownSeq, held: held))
      if meeting.told[ours] > seq {
        guard !meeting.terms.believesPeer else {
          state = .renewing
          return [.renew(beyond: nil)]
        }
        // Whoever may not say so is told everything of ours, and can force nothing.
        var start = Start(cursor: 0, ownSeq: 0, held: Held(told: meeting.told))
        start.held.told.remove(ours)
        live = Live(meeting, start)
      }
      let effects = live.beginPush()
      state = .live(live)
      return effects
    }
  }
}
