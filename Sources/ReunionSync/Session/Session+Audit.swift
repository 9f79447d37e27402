import ReunionCore
import ReunionFlow
import ReunionStore

/// Whether two replicas that believe themselves equal are (docs/protocol.md 2.26).
///
/// The side that dials asks, once a week, when nothing was on its way for half a minute. Each step is made from a
/// snapshot, and goes out when all that the snapshot has was sent. So the other side holds at least as much when it
/// reads the step, and what is listed as another is another, unless it changed here since the step before.
extension Session {
  /// What this session's audits keep in mind.
  struct Audit {
    /// What this side asks.
    var asking: Asking?
    /// The number of this side's last question.
    var lastNumber: UInt64 = 0
    /// Whether an answer is being made.
    var isAnswering = false
    /// The arrival as of which this side answered last.
    var since: UInt64?
    /// What is to be said once the changes that it is about have gone: a question, an answer, or both.
    var waiting: [(step: AuditStep, arrival: UInt64)] = []
    /// The records that are to go whole.
    var unsent: [RecordName] = []
    /// The records that went whole because more of them was held than came.
    var echoed: Set<RecordName> = []
    /// The records that the push which is coming in brings whole.
    var coming: Set<RecordName> = []
    /// Those that the last push brought so.
    var brought: Set<RecordName> = []
    /// Heartbeats since anything was last on its way.
    var idleBeats = 0
    /// The last push of the other side at the last heartbeat.
    var lastCursor: UInt64 = 0
  }

  /// An audit that this side asked for.
  struct Asking {
    var walk = AuditWalk()
    /// The number of the question that is not answered.
    var number: UInt64 = 0
    /// How many records differ, as far as is known.
    var differingCount = 0
    /// Heartbeats since it was asked; nil while the question waits.
    var beats: Int?
    /// Told when it is over: how many records differ; nil where it did not come to its end.
    var whenOver: [@Sendable (Int?) -> Void] = []
  }

  /// After how many quiet heartbeats of 5 s it is asked whether an audit is due, and after how many more again.
  static let (beatsUntilAudit, beatsBetweenAudits) = (6, 720)
  /// For how many heartbeats an answer is awaited.
  static let beatsUntilAnswer = 24
  /// An audit ends that has found as many records; the next one goes on.
  static let auditDifferingMax = 4096
  /// The most records that are to go whole, and the most of a push.
  static let (auditUnsentMax, auditSentAtOnce) = (16_384, AuditStep.recordsMax)

  /// Audits, if one is due and nothing is on its way.
  func beatAudit() {
    let isLost = work.withLock { work in
      guard let beats = work.audit.asking?.beats else { return false }
      work.audit.asking?.beats = beats + 1
      return beats >= Self.beatsUntilAnswer
    }
    if isLost { endAudit(nil) }
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
      ask { _ in }
    } catch {
      fail(error)
    }
  }

  // What this side asks

  /// Audits now, and tells when that is over: how many records differed; nil if the other side is busy, takes no audits,
  /// or is gone. *Thread*: any.
  package func auditNow(_ whenOver: @escaping @Sendable (_ differingCount: Int?) -> Void) {
    execute { self.ask(whenOver) }
  }

  private func ask(_ whenOver: @escaping @Sendable (Int?) -> Void) {
    guard case .live = state.value, configuration.audits != nil,
      work.withLock({ $0.features.takesAudits })
    else { return whenOver(nil) }
    let isUnderWay = work.withLock { work in
      defer { work.audit.asking?.whenOver.append(whenOver) }
      guard work.audit.asking == nil else { return true }
      work.audit.asking = Asking()
      return false
    }
    if !isUnderWay { askOn() }
  }

  /// Reads what was answered, and asks the next question.
  private func askOn() {
    guard let audits = configuration.audits, let walk = work.withLock({ $0.audit.asking?.walk })
    else { return }
    let space = configuration.space
    let isAdmitted = audits.admit(.session(ObjectIdentifier(self))) { [self] in
      var next = walk
      let speech = Result { try store.auditTurn(&next, in: space) }
      return { [next] in self.execute { self.asked(speech, next) } }
    }
    if !isAdmitted { endAudit(nil) }
  }

  private func asked(_ result: Result<AuditSpeech, any Error>, _ walk: AuditWalk) {
    guard case .live(let live) = state.value else { return endAudit(nil) }
    do {
      let speech = try result.get()
      let count = work.withLock { work in
        work.audit.asking?.walk = walk
        work.audit.asking?.differingCount += speech.differing.count
        return work.audit.asking?.differingCount
      }
      guard let count else { return }
      send(whole: speech.differing)
      if speech.parts.isEmpty {
        goOnAuditing()
        guard walk.isOver else { return askOn() }
        try store.keepAudit(with: live.peer.site, in: configuration.space)
        return endAudit(count)
      }
      guard count <= Self.auditDifferingMax else { return endAudit(nil) }
      let number = work.withLock { work in
        work.audit.lastNumber += 1
        work.audit.asking?.number = work.audit.lastNumber
        return work.audit.lastNumber
      }
      say(AuditStep(.ask, number: number, parts: speech.parts), as: speech.arrival)
    } catch {
      endAudit(nil)
      fail(error)
    }
  }

  /// Ends what this side asked, if anything.
  func endAudit(_ differingCount: Int?) {
    let asking = work.withLock { $0.audit.asking.take() }
    for tell in asking?.whenOver ?? [] { tell(differingCount) }
  }

  // What the other side says

  /// Hears a step of the other side's.
  func hear(_ step: AuditStep) {
    guard configuration.audits != nil, configuration.authority == .all else { return }
    switch step.kind {
    case .ask: answer(step)
    case .answer:
      let differing = work.withLock { work -> [RecordName]? in
        guard work.audit.asking?.number == step.number, step.number > 0 else { return nil }
        work.audit.asking?.number = 0
        work.audit.asking?.beats = nil
        let names = work.audit.asking?.walk.take(step) ?? []
        work.audit.asking?.differingCount += names.count
        return names
      }
      guard let differing else { return }
      send(whole: differing)
      askOn()
    case .busy: endAudit(nil)
    case .whole:
      let count = work.withLock { work in
        for case .differing(let names) in step.parts { work.audit.coming.formUnion(names) }
        return work.audit.coming.count
      }
      if count > Self.wholeNamesMax { violate("The other side names too many records.") }
    }
  }

  private func answer(_ step: AuditStep) {
    guard case .live(let live) = state.value, let audits = configuration.audits,
      work.withLock({ work in
        defer { work.audit.isAnswering = true }
        return !work.audit.isAnswering
      })
    else { return send(.audit(AuditStep(.busy, number: step.number))) }
    let (space, since) = (configuration.space, work.withLock { $0.audit.since })
    let isAdmitted = audits.admit(.device(live.peer.site.device, space)) { [self] in
      let speech = Result { try store.auditAnswer(to: step.parts, since: since, in: space) }
      return { self.execute { self.answered(step.number, speech) } }
    }
    guard !isAdmitted else { return }
    work.withLock { $0.audit.isAnswering = false }
    send(.audit(AuditStep(.busy, number: step.number)))
  }

  private func answered(_ number: UInt64, _ result: Result<AuditSpeech, any Error>) {
    work.withLock { $0.audit.isAnswering = false }
    guard case .live = state.value else { return }
    do {
      let speech = try result.get()
      work.withLock { $0.audit.since = speech.arrival }
      send(whole: speech.differing)
      let count = UInt64(speech.answeredCount)
      say(
        AuditStep(.answer, number: number, answeredCount: count, parts: speech.parts),
        as: speech.arrival)
    } catch {
      fail(error)
    }
  }

  // What is sent

  /// Says a step, once all has gone that it is about.
  private func say(_ step: AuditStep, as arrival: UInt64) {
    work.withLock { $0.audit.waiting.append((step, arrival)) }
    goOnAuditing()
  }

  /// Goes on with what waits: records that go whole, and what is to be said after them.
  func goOnAuditing() {
    guard case .live(let live) = state.value else { return }
    let (steps, isMore) = work.withLock { work -> ([AuditStep], Bool) in
      guard work.audit.unsent.isEmpty else { return ([], true) }
      func isDue(_ arrival: UInt64) -> Bool {
        live.endedCursor >= arrival || bugs.auditAheadOfChanges
      }
      let steps = work.audit.waiting.filter { isDue($0.arrival) }.map(\.step)
      work.audit.waiting.removeAll { isDue($0.arrival) }
      if steps.contains(where: { $0.kind == .ask }) { work.audit.asking?.beats = 0 }
      return (steps, false)
    }
    for step in steps { send(.audit(step)) }
    if isMore { offer(.committed) }
  }

  /// Has records go whole with the next pushes.
  private func send(whole names: [RecordName]) {
    work.withLock { work in
      let known = Set(work.audit.unsent)
      work.audit.unsent += names.filter { !known.contains($0) }
        .prefix(max(0, Self.auditUnsentMax - known.count))
    }
  }

  /// Takes the records that go whole with the push that is being read.
  func takeAudited() -> [RecordName] {
    work.withLock { work in
      let names = Array(work.audit.unsent.prefix(Self.auditSentAtOnce))
      work.audit.unsent.removeFirst(names.count)
      return names
    }
  }

  /// Names those of them that come with the push, before its end, and keeps the others.
  func tellAudited(_ names: [RecordName], of taken: [RecordName]) {
    if !names.isEmpty { send(.audit(AuditStep(.whole, parts: [.differing(names)]))) }
    work.withLock { $0.audit.unsent = taken.dropFirst(names.count) + $0.audit.unsent }
  }

  /// Goes on when the turn that ended a push is over, if anything waits.
  func audited() {
    let isWaiting = work.withLock { !$0.audit.unsent.isEmpty || !$0.audit.waiting.isEmpty }
    if isWaiting { execute { self.goOnAuditing() } }
  }

  /// Takes note of what a push brought whole: the other side gets back what it has less of.
  func took(_ fuller: [RecordName]) {
    guard !configuration.isLeaf, peer?.isLeaf == false, !configuration.sendsOwnOnly else { return }
    let names = work.withLock { work in
      fuller.filter {
        work.audit.echoed.count < Self.auditUnsentMax && work.audit.echoed.insert($0).inserted
      }
    }
    sendWhole(names)
  }

  /// Has records go whole that an audit with another brought together: the other side may lack as much of them, and
  /// nothing else would show it before its next audit. Whoever brought them has them.
  func sendOn(_ repaired: [RecordName]) {
    guard !repaired.isEmpty else { return }
    let names = work.withLock { work in repaired.filter { !work.audit.brought.contains($0) } }
    sendWhole(names)
  }

  private func sendWhole(_ names: [RecordName]) {
    guard !names.isEmpty, work.withLock({ $0.features.takesAudits }), configuration.audits != nil,
      !bugs.repairNotPassedOn
    else { return }
    send(whole: names)
    goOnAuditing()
  }
}
