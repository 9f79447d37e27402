import ReunionCore
import ReunionFlow
import ReunionStore

/// Whether two replicas that believe themselves equal are (docs/protocol.md 2.26).
///
/// The side that dials asks, once a week, when nothing was on its way for half a minute. Each step is answered from a
/// snapshot, and goes out when all that the snapshot has was sent. So the other side holds at least as much when it
/// reads the step, and what it lists as another is another, unless it changed here since the step before.
extension Session {
  /// An audit that is under way, and what came of those of this session.
  struct Audit {
    /// Whether a step of this side is not answered yet.
    var isAsking = false
    /// Whether an answer is being made.
    var isAnswering = false
    /// The arrival as of which this side spoke last.
    var since: UInt64?
    /// Ranges that are to be brought up once more.
    var waiting: [RecordRange] = []
    /// What is to be said once the changes that it is about have gone.
    var answer: AuditAnswer?
    /// Whether it is to be said though nothing is to be asked.
    var mustAnswer = false
    /// The records that differ, by name; and those of them that are still to go whole.
    var differing: Set<RecordName> = []
    var unsent: [RecordName] = []
    /// Heartbeats since anything was last on its way.
    var idleBeats = 0
    /// The last push of the other side at the last heartbeat.
    var lastCursor: UInt64 = 0
    /// Told when this side's audit is over: whether it was whole.
    var whenOver: [@Sendable (Bool) -> Void] = []
  }

  /// After how many quiet heartbeats of 5 s it is asked whether an audit is due, and after how many more again.
  static let (beatsUntilAudit, beatsBetweenAudits) = (6, 720)
  /// An audit that has found this many records tells of no more: the next one goes on.
  static let auditDifferingMax = 4096
  /// How many records go whole with one push.
  static let auditSentAtOnce = 256

  /// Audits, if one is due and nothing is on its way.
  func beatAudit() {
    guard case .live(let live) = state.value, live.hasCaughtUp,
      live.provenCursor == live.sentCursor
    else { return work.withLock { $0.audit.idleBeats = 0 } }
    let beats = work.withLock { work in
      let isQuiet = work.appliedCursor == work.audit.lastCursor
      work.audit.lastCursor = work.appliedCursor
      work.audit.idleBeats = isQuiet ? work.audit.idleBeats + 1 : 0
      return work.audit.idleBeats
    }
    guard configuration.beginsAudits, beats >= Self.beatsUntilAudit,
      (beats - Self.beatsUntilAudit) % Self.beatsBetweenAudits == 0
    else { return }
    do {
      guard
        try configuration.isAuditDue
          || store.isAuditDue(with: live.peer.site, in: configuration.space)
      else { return }
      audit { _ in }
    } catch {
      fail(error)
    }
  }

  /// Audits now, and tells when that is over: false if the other side is busy, takes no audits, or is gone. *Thread*:
  /// any.
  package func auditNow(_ whenOver: @escaping @Sendable (_ isWhole: Bool) -> Void) {
    execute { self.audit(whenOver) }
  }

  /// How many records this session's audits found to differ. *Thread*: any.
  package var auditDifferingCount: Int { work.withLock { $0.audit.differing.count } }

  private func audit(_ whenOver: @escaping @Sendable (Bool) -> Void) {
    guard case .live = state.value, let audits = configuration.audits,
      work.withLock({ $0.features.takesAudits })
    else { return whenOver(false) }
    let isUnderWay = work.withLock { work in
      defer { work.audit.isAsking = true }
      work.audit.whenOver.append(whenOver)
      return work.audit.isAsking
    }
    guard !isUnderWay else { return }
    let space = configuration.space
    let isAdmitted = audits.admit(store.device(in: space), in: space) { [self] in
      let answer = Result { try store.auditBegin(in: space) }
      execute { self.say(answer, mustAnswer: true) }
    }
    if !isAdmitted { endAudit(isWhole: false) }
  }

  /// Hears a step of the other side's.
  func hear(_ step: AuditStep) {
    guard let audits = configuration.audits, case .live(let live) = state.value else { return }
    switch step.kind {
    case .turn: break
    case .busy: return endAudit(isWhole: false)
    case .aside:
      for case .differing(let names) in step.parts { _ = note(differing: names) }
      return goOnAuditing()
    }
    let isAlone = work.withLock { work in
      defer { work.audit.isAnswering = true }
      return !work.audit.isAnswering && work.audit.answer == nil
    }
    guard isAlone else { return violate("A step of an audit came out of turn.") }
    // At once: what the other side has of them comes right behind.
    for case .differing(let names) in step.parts { _ = note(differing: names) }
    let (waiting, since) = work.withLock { ($0.audit.waiting, $0.audit.since) }
    let space = configuration.space
    let isAdmitted = audits.admit(live.peer.site.device, in: space) { [self] in
      let answer = Result {
        try store.auditAnswer(to: step, goingOnWith: waiting, since: since, in: space)
      }
      execute { self.say(answer, mustAnswer: !step.parts.isEmpty) }
    }
    guard !isAdmitted else { return }
    work.withLock { $0.audit.isAnswering = false }
    endAudit(isWhole: false)
    send(.audit(AuditStep(.busy)))
  }

  /// Tells the other side of records that an audit with another brought together: it may lack as much of them, and
  /// nothing else would show it before its next audit.
  func tellRepaired(_ names: [RecordName]) {
    guard case .live = state.value, work.withLock({ $0.features.takesAudits }),
      configuration.audits != nil, !bugs.repairNotPassedOn
    else { return }
    let news = note(differing: names)
    for start in stride(from: 0, to: news.count, by: AuditStep.recordsMax) {
      let part = Array(news[start..<min(start + AuditStep.recordsMax, news.count)])
      send(.audit(AuditStep(.aside, parts: [.differing(part)])))
    }
    goOnAuditing()
  }

  /// Notes records that differ; those that it did not know.
  private func note(differing names: [RecordName]) -> [RecordName] {
    work.withLock { work in
      var news: [RecordName] = []
      for name in names where work.audit.differing.count < Self.auditDifferingMax {
        if work.audit.differing.insert(name).inserted { news.append(name) }
      }
      work.audit.unsent += news
      return news
    }
  }

  /// Says an answer, once all has gone that it is about.
  private func say(_ result: Result<AuditAnswer, any Error>, mustAnswer: Bool) {
    work.withLock { $0.audit.isAnswering = false }
    guard case .live = state.value else { return endAudit(isWhole: false) }
    do {
      var answer = try result.get()
      for case .differing(let names) in answer.parts { _ = note(differing: names) }
      work.withLock { work in
        if work.audit.differing.count >= Self.auditDifferingMax {
          answer.waiting = []
          answer.parts.removeAll { if case .differing = $0 { false } else { true } }
        }
        work.audit.waiting = answer.waiting
        work.audit.answer = answer
        work.audit.mustAnswer = mustAnswer
      }
      // The other side hears first which records differ, and then gets them.
      goOnAuditing()
    } catch {
      endAudit(isWhole: false)
      fail(error)
    }
  }

  /// Sends what waits to be said, if all that it is about was sent.
  func tellAudit() {
    guard case .live(let live) = state.value else { return }
    let (answer, mustAnswer) = work.withLock { work -> (AuditAnswer?, Bool) in
      let arrival = bugs.auditAheadOfChanges ? 0 : work.audit.answer?.arrival ?? 0
      guard live.sentCursor >= arrival, let answer = work.audit.answer.take() else {
        return (nil, false)
      }
      work.audit.since = answer.arrival
      return (answer, work.audit.mustAnswer)
    }
    guard let answer else { return }
    let isOver = answer.parts.isEmpty && answer.waiting.isEmpty
    if mustAnswer || !isOver { send(.audit(AuditStep(parts: answer.parts))) }
    guard isOver, work.withLock({ $0.audit.isAsking }) else { return }
    do {
      try store.keepAudit(with: live.peer.site, in: configuration.space)
      endAudit(isWhole: true)
    } catch {
      endAudit(isWhole: false)
      fail(error)
    }
  }

  /// Ends what this side asked, if anything.
  func endAudit(isWhole: Bool) {
    let told = work.withLock { work in
      defer { (work.audit.isAsking, work.audit.whenOver) = (false, []) }
      return work.audit.whenOver
    }
    for tell in told { tell(isWhole) }
  }

  /// Takes the records that go whole with the push that is being read: of those that the other side knows to differ.
  func takeAudited() -> [RecordName] {
    work.withLock { work in
      guard work.audit.answer == nil else { return [] }
      let names = Array(work.audit.unsent.prefix(Self.auditSentAtOnce))
      work.audit.unsent.removeFirst(names.count)
      return names
    }
  }

  /// Takes records back that did not go, since the push does not end yet.
  func putBack(audited names: [RecordName]) {
    work.withLock { $0.audit.unsent = names + $0.audit.unsent }
  }

  /// Goes on with what waits: what is to be said, and records that go whole.
  func goOnAuditing() {
    tellAudit()
    let isMore = work.withLock { $0.audit.answer == nil && !$0.audit.unsent.isEmpty }
    if isMore { offer(.committed) }
  }
}
