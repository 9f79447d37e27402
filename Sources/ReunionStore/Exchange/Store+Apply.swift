package import ReunionCore
import ReunionDisk
import ReunionFlow

extension Store {
  /// Merges a push, what of it was staged included, in one commit, which is on the disk when this
  /// returns: records, vector, refusals, and where the peer resumes. A large one of a guest's is
  /// merged in slices (`PushSlices`), a commit each, so that nobody waits for long; its vector rises with
  /// the last.
  ///
  /// Where the peer holds more of this store's own site than this store wrote, nothing is changed
  /// and `Applied.isForked` says so. Observers of commits are told where a record changed or the
  /// vector rose. *Cost*: O(changes); at most one part of the push is in memory.
  /// - Throws: `stagedLost` where another session of the peer has begun since, `refusalsUnanswered` where the
  ///   peer's device has too many refusals to answer, and other `StoreError`s; then nothing has changed.
  package func apply(
    _ push: IncomingPush, in space: SpaceID, authority: Authority
  ) throws -> Applied {
    var applied = Applied()
    for part in try parts(of: push, in: space, authority: authority) {
      var part = part
      part.weightMax = push.weightMax - applied.weight
      applied.add(try applyWhole(part, in: space, authority: authority))
      if applied.comparesAnew || applied.isForked || applied.isOutdated { break }
    }
    return applied
  }

  /// A push in the parts that `apply` takes one after the other: several where it is a large one of a
  /// guest's, with `changesMax` changes each. The vector rises with the last, so that a broken-off one
  /// comes again.
  package func parts(
    of push: IncomingPush, in space: SpaceID, authority: Authority, changesMax: Int = .max
  ) throws -> [IncomingPush] {
    let wanted = min(changesMax, options.sliceChanges)
    guard case .own = authority, push.slice == nil,
      push.changes.count + push.stagedCount > wanted
    else { return [push] }
    let changes = try staged(push, in: space) + push.changes
    let slices = PushSlices(changes, of: wanted).slices
    let reach = try vector(of: space).reaching(Set(changes.map(\.cell.dot)))
    var brought: [Site: UInt64] = [:]
    return slices.enumerated().map { index, slice in
      for change in slice {
        let dot = change.cell.dot
        brought[dot.site] = max(brought[dot.site] ?? 0, dot.seq)
      }
      var part = push
      part.changes = slice
      part.stagedCount = 0
      let isLast = index == slices.count - 1
      part.slice = IncomingPush.Slice(
        isLast: isLast, reach: reach,
        brought: isLast ? brought.map { Dot(site: $0.key, seq: $0.value) } : [])
      return part
    }
  }

  /// The changes of a push that were staged.
  private func staged(_ push: IncomingPush, in space: SpaceID) throws -> [Change] {
    let changes = try stagedChanges(from: push.peer, in: space)
    guard changes.count == push.stagedCount else { throw StoreError.stagedIsLost }
    return changes
  }

  /// The changes of a peer that are staged.
  func stagedChanges(from peer: Site, in space: SpaceID) throws -> [Change] {
    try readTransaction { (reader) throws(StoreError) in
      var changes: [Change] = []
      if let number = try reader.numbers.existingNumber(of: space),
        let peer = try reader.numbers.existingNumber(of: peer)
      {
        try reader.forEachStaged(peer, space: number) { changes += $0 }
      }
      return changes
    }
  }

  private func applyWhole(
    _ push: IncomingPush, in space: SpaceID, authority: Authority
  ) throws -> Applied {
    // Before a transaction is begun, which would have to be undone.
    try checkSession(push.session, of: push.peer, in: space)
    do {
      return try applyInCommit(push, in: space, authority: authority)
    } catch {
      forgetHorizon(of: space)
      throw error
    }
  }

  private func applyInCommit(
    _ push: IncomingPush, in space: SpaceID, authority: Authority
  ) throws(StoreError) -> Applied {
    try commit { (writer, records) throws(StoreError) in
      try checkSession(push.session, of: push.peer, in: space)
      let site = site(in: space)
      if let receiver = push.receiver, receiver != site,
        !options.seededBugs.renewedSiteTakesOn
      {
        var applied = Applied()
        applied.comparesAnew = true
        return (applied, nil)
      }
      let past = try kept(of: space, records.reader.connection)
      if let sound = push.soundHorizon, past.arrival > sound {
        var applied = Applied()
        applied.isOutdated = true
        return (applied, nil)
      }
      let old = try writer.space(space, records)
      let peer = try records.reader.numbers.number(of: push.peer)
      var work = ApplyWork(
        push: push, peer: peer,
        authority: options.seededBugs.rolesNotChecked ? .all : authority, space: old,
        site: site, records: records, options: options)
      work.isPastClosed = past.arrival > 0
      guard try work.run(&writer.clock) else {
        var applied = Applied()
        applied.isForked = true
        return (applied, nil)
      }
      var new = work.space
      if work.hasLetGo { new.arrival += 1 }
      try records.write(&new, over: old, mark(writer.clock.last, in: space))
      try work.keepPosition(at: new.arrival)
      let horizon = try settleHorizon(of: space, with: push, work, at: new.arrival)
      writer.spaces[space] = new
      let applied = try work.applied()
      guard applied.changed || new.vector != old.vector || !work.refused.isEmpty else {
        return (applied, nil)
      }
      var commit = Commit(space: space, arrival: new.arrival, touches: work.touches)
      commit.comparesAnew = work.comparesAnew
      commit.horizon = horizon
      commit.repaired = work.repaired
      if let bringer = push.bringer, work.leavesNothingToTell, horizon == nil,
        new.vector[site] == old.vector[site]
      {
        commit.taken = Commit.TakenPush(bringer: bringer, after: old.arrival)
      }
      // That a guest's word of what readers need does not count is nobody's loss.
      commit.refused = work.refused.filter { $0.refusal.entity != RequiredReader.entity }
        .map { RefusedChange($0.refusal, $0.dots, in: space) }
      return (applied, commit)
    }
  }
}

extension StoreError {
  fileprivate static var stagedIsLost: StoreError {
    StoreError(.stagedLost, "A part of what the other side sent is gone: it is sent again.")
  }
}

extension Applied {
  /// Adds what the next slice did.
  package mutating func add(_ next: Applied) {
    refusedCount += next.refusedCount
    changed = changed || next.changed
    comparesAnew = next.comparesAnew
    isForked = next.isForked
    isOutdated = next.isOutdated
    weight = weight + next.weight
    wanted += next.wanted
    repairedCount += next.repairedCount
    fuller += next.fuller
  }
}

/// The steps of merging a push, in a transaction.
struct ApplyWork {
  let push: IncomingPush
  /// The number of the peer's site.
  let peer: Int64
  let authority: Authority
  /// The space as it is, and as it becomes.
  var space: SpaceState
  let site: Site
  let records: RecordWriter
  let options: StoreOptions
  var touches = Touches()
  private var named: [BlobReference] = []
  private var begun: [RecordKey] = []
  var refusedCount = 0
  /// What of it was brought whole since an audit found it to differ: what changed, and of what more is held.
  private(set) var (repaired, fuller): ([RecordName], [RecordName]) = ([], [])
  /// What the peer has refused of this store's changes.
  var refused: [(refusal: Refusal, dots: [Dot])] = []
  private var weight = Weight()
  /// The highest change of each site that the push has brought.
  private(set) var brought: [Site: UInt64] = [:]
  /// Whether the peer turned out to lack what this store was sent: it went back to an earlier state,
  /// and everything must be compared again.
  var comparesAnew = false
  /// Whether records went that the peer has let go.
  var hasLetGo = false
  /// Whether something went of records that came whole.
  var hasReplaced = false
  /// Whether a record changed that is or was deleted.
  var touchesDeleted = false
  /// Whether deletes are gone here.
  var isPastClosed = false
  /// Whether the push was merged whole, so that the peer goes on from its end.
  private var isWhole = false
  /// Whether the peer goes on from its end, and what it holds was believed.
  var goesOn: Bool { isWhole && !comparesAnew }

  init(
    push: IncomingPush, peer: Int64, authority: Authority, space: SpaceState, site: Site,
    records: RecordWriter, options: StoreOptions
  ) {
    self.push = push
    self.peer = peer
    self.authority = authority
    self.space = space
    self.site = site
    self.records = records
    self.options = options
  }

  /// Merges everything; false, and nothing is changed, where this store is forked.
  mutating func run(_ clock: inout HybridClock) throws(StoreError) -> Bool {
    let stagedCount = mayStage ? try records.stagedCount(peer, space: space.number) : 0
    guard push.stagedCount == stagedCount else { throw StoreError.stagedIsLost }
    guard try !isForked() else { return false }
    let before = space.vector
    let taken = authority == .all ? try takeBack() : []
    let isCached = options.seededBugs.cacheKeepsWhatIsLost
    if push.replacesOthers, !isCached {
      try dropOthers()
      try records.forgetOtherIncarnations(of: push.peer, space: space.number)
    }
    var admission = Admission(
      authority: authority, peer: push.peer, helloSeq: push.helloSeq,
      unanswered: try refusedBefore(), layout: records.reader.layout, weightMax: push.weightMax,
      hasErased: try records.hasErasedRecords(space: space.number), ruledOut: push.ruledOut,
      own: try ownToGuard(), sites: try sitesOfPeer())
    for dot in push.slice?.brought ?? [] { admission.brought(dot) }
    if !admission.isOpen { try admit(&admission) }
    weight = admission.weight
    try merge(admission, before, &clock)
    try markBegun(begun, &clock)
    if push.isAll, authority == .all { try letGoAbsent(&clock) }
    if authority == .all, !push.isLeaf { try replaceBack(admission, &clock) }
    try refuse(admission)
    try doubt(admission)
    if push.slice?.isLast == false {
      try lowerRetired()
      return true
    }
    if push.slice != nil || takesStaged { try records.discardStaged(peer, space: space.number) }
    try raise(admission)
    try forget(taken, before)
    try lowerRetired()
    try goOn()
    let isClaimEnough = options.seededBugs.claimTakenAsProof
    let proven = min(isClaimEnough ? push.vector[site] : push.provenSeq, space.vector[site])
    if authority == .all, proven > 0 {
      try records.setHeld(of: site, by: peer, space: space.number, to: proven)
    }
    return true
  }

  /// Keeps where the peer resumes, and with it what it is proved to have taken back: put back to before
  /// that, the peer shows it by the position, and is told anew.
  private mutating func goOn() throws(StoreError) {
    isWhole = true
    guard push.answered > 0 else { return }
    try RefusalLedger(records.reader.connection, space: space.number, site: push.peer)
      .answer(upTo: push.answered)
    if options.seededBugs.answerWithoutPosition { isWhole = false }
  }

  /// Keeps it, in the commit that ends at an arrival; and whether all that the peer held then is held here, and
  /// up to which arrival it held all.
  func keepPosition(at arrival: UInt64) throws(StoreError) {
    guard isWhole else { return }
    let isNamed = comparesAnew ? false : try isNamed()
    var position = push.position.count <= Pull.positionBytesMax ? push.position : []
    if comparesAnew { position = PeerPosition.proof(position) }
    try records.setPosition(of: peer, space: space.number, to: position)
    // Beside a leaf's stands none.
    guard !push.isLeaf else { return }
    try records.setMark(
      of: peer, space: space.number, beside: position,
      heldUpTo: isNamed ? try heldUpTo(arrival) : nil)
  }

  /// Up to which arrival the peer held all when it told its position: by its acknowledgements, and by what it
  /// told. What this push had it bring, and what is on its way, it did not.
  private func heldUpTo(_ arrival: UInt64) throws(StoreError) -> UInt64 {
    guard !options.seededBugs.markedAsOfNow else { return arrival }
    let uncovered = try records.reader.firstRise(
      space: space.number, after: push.heldUpTo, notIn: push.vector)
    return uncovered.map { $0 - 1 } ?? arrival
  }

  /// Whether all that the peer holds is held here: it was so before, or the push names all of it, and its
  /// word was believed.
  private func isNamed() throws(StoreError) -> Bool {
    guard !push.isLeaf, !space.isLowered else { return false }
    if push.isAllNamed {
      guard space.vector.covers(push.vector) || options.seededBugs.unbelievedNamed else {
        return false
      }
    } else {
      let kept = try records.reader.keptPosition(of: peer, space: space.number) ?? []
      guard try records.reader.heldUpTo(by: peer, space: space.number, beside: kept) != nil
      else { return false }
    }
    return space.vector.covers(push.raised) || options.seededBugs.unbelievedNamed
  }

  func applied() throws(StoreError) -> Applied {
    var applied = Applied()
    applied.refusedCount = refusedCount
    applied.changed = !touches.isEmpty
    applied.comparesAnew = comparesAnew
    applied.weight = weight
    (applied.repairedCount, applied.fuller) = (repaired.count, fuller)
    applied.wanted = try records.notHeld(named, space: space.number)
    return applied
  }

  /// Calls a closure with each part of the push, the staged ones first.
  func forEachPart(
    _ body: ([Change]) throws(StoreError) -> Void
  ) throws(StoreError) {
    if takesStaged { try records.reader.forEachStaged(peer, space: space.number, body) }
    try body(push.changes)
  }

  /// Nothing is staged of a peer that may change nothing. What it left staged when it still could
  /// change something waits until the store is opened.
  private var mayStage: Bool { authority != .none && push.slice == nil }

  /// Whether something was staged.
  var takesStaged: Bool { mayStage && push.stagedCount > 0 }

  // Merging

  private func admit(_ admission: inout Admission) throws(StoreError) {
    var admitting = admission
    let isOpen = admission.isOpenButForErased
    try forEachPart { (changes) throws(StoreError) in
      try admitting.add(changes) { (key) throws(StoreError) in
        if try records.isErased(key, space: space.number) { return .erased }
        // Nothing else is looked up for a peer that may change everything.
        if isOpen { return .held(nil) }
        return .held(try records.reader.record(key, space: space.number)?.state)
      }
    }
    if push.slice != nil, push.changes.count > PushSlices.changesMax { admitting.refuseAll() }
    admitting.decide()
    admission = admitting
  }

  /// Notes up to which numbers changes came.
  private mutating func note(_ changes: [Change]) {
    guard var highest = changes.first?.cell.dot else { return }
    for change in changes {
      let dot = change.cell.dot
      if dot.site == highest.site {
        if dot.seq > highest.seq { highest = dot }
        continue
      }
      brought[highest.site] = max(brought[highest.site] ?? 0, highest.seq)
      highest = dot
    }
    brought[highest.site] = max(brought[highest.site] ?? 0, highest.seq)
  }

  /// What the sender holds.
  var sender: Merge.Sender {
    let past =
      options.seededBugs.sightByToldAlone
      ? 0 : push.heldUpTo
    return Merge.Sender(
      told: push.vector,
      past: PastVector(
        records.reader, space: space.number, at: past, records.rises ?? Rises(), options.seededBugs),
      device: push.sentDevice, cacheOf: push.feedsCache ? site.device : nil)
  }

  private mutating func merge(
    _ admission: Admission, _ held: VersionVector, _ clock: inout HybridClock
  ) throws(StoreError) {
    var merge = Merge(
      records: records, space: space.number, held: held, sender: sender, isLeaf: push.isLeaf,
      bugs: options.seededBugs)
    merge.isPastClosed = isPastClosed
    merge.marksAll = push.isLeaf || authority != .all
    merge.mayHaveLetGo = authority == .all && !push.isLeaf
    merge.audited = push.audited
    let wall = options.wallMilliseconds()
    merge.newSince = wall - min(wall, Merge.newMilliseconds)
    var arrival = space.arrival
    var latest = clock
    try forEachPart { (changes) throws(StoreError) in
      let isUnchecked =
        options.seededBugs.stagedPartNotChecked && changes != push.changes
      let admitted = isUnchecked ? changes : admission.admitted(changes)
      try merge.run(admitted, arrival: &arrival)
      for change in admitted { latest.observe(change.cell.stamp, wallMilliseconds: wall) }
      note(changes)
    }
    clock = latest
    space.arrival = arrival
    touches.formUnion(merge.touches)
    named = merge.named
    begun = merge.begun
    (repaired, fuller) = (merge.repaired, merge.fuller)
    hasReplaced = hasReplaced || merge.hasReplaced
    touchesDeleted = merge.touchesDeleted
  }
}
