import Reunion
import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync

/// The end of a history: everything works again, and all must come together.
extension HistoryRun {
  /// How long all replicas may take to become equal once everything works.
  private static let settlingSeconds = 600

  /// Lets all come together, and checks that they do; whether it took an audit.
  mutating func settle() throws -> Bool {
    try mend()
    if simulation.hazards.contains(.upgrades) { try upgradeAll() }
    let isQuiet = try comeTogether()
    try check()
    let replicas = world.replicas.filter { !isOut($0) }
    if !isQuiet {
      let violation = try stall(replicas)
      guard try isApartByForks(replicas) else { throw violation }
      world.beginAudits()
      guard try comeTogether() else { throw try stall(replicas) }
      try check()
    }
    for replica in replicas {
      guard let store = replica.running else { continue }
      let holdings = try Holdings(store, world.space)
      try oracle.checkNothingIsLost(replica.name, holdings) { mayCountAsMet($0) }
      try checkBlobs(replica, store)
    }
    try oracle.checkConflicts(replicas, isUnseen)
    try checkShown(replicas)
    try checkQuiet()
    try checkPresence()
    try checkStandingSettled()
    try checkAudits()
    return !isQuiet
  }

  /// Where no machine was put back, vectors tell the truth, and an audit finds nothing.
  private func checkAudits() throws {
    let count = world.repairedCount.withLock { $0 }
    guard count == 0 || oracle.isAnyPutBack else {
      throw Violation(1, "an audit found \(count) records to differ, and no machine was put back")
    }
  }

  /// Lets time pass until all are equal; whether they are.
  private mutating func comeTogether() throws -> Bool {
    for _ in 0..<Self.settlingSeconds / 10 {
      world.run(for: .seconds(10))
      try settleStep()
      if try isSettled() { return true }
    }
    return false
  }

  /// Gives each replica the newest model, and adds one that never had another: what it shows is what
  /// upgrading first would have given.
  private mutating func upgradeAll() throws {
    for replica in world.replicas {
      if replica.running != nil { try replica.close() }
      versions[replica.number] = 0
      replica.willUpgrade(to: simulation.models[0])
      try start(replica)
    }
    // What a leaf holds of the deleted is nobody else's to take.
    let leaves = world.connections.filter(\.terms.isLeaf).map(\.dialler.number)
    guard let full = world.replicas.first(where: { !leaves.contains($0.number) }) else { return }
    let newcomer = try world.makeReplica("newcomer", model: simulation.models[0])
    versions[newcomer.number] = 0
    world.connect(newcomer, to: full)
  }

  /// Replicas of one model that hold the same show the same.
  private func checkShown(_ replicas: [WorldReplica]) throws {
    guard let shown = simulation.shown, let last = replicas.last, let lastStore = last.running
    else {
      return
    }
    let expected = try shown(lastStore, world.space)
    for replica in replicas where versions[replica.number] == versions[last.number] {
      guard let store = replica.running else { continue }
      let found = try shown(store, world.space)
      guard found != expected else { continue }
      let pair = zip(found, expected).first { $0 != $1 }
      throw Violation(
        1,
        "\(replica.name) shows \(pair?.0 ?? "\(found.count) records"), and \(last.name)"
          + " \(pair?.1 ?? "\(expected.count)")")
    }
  }

  mutating func mend() throws {
    for connection in world.connections {
      connection.setQuality(.good)
      connection.partition(there: false, back: false)
      if !connection.isRevoked { connection.connect() }
    }
    closed = []
    for replica in world.replicas {
      replica.disk.faults = DiskFaults()
      replica.disk.observeChanges(nil)
    }
  }

  /// Whether all hold the same, all sessions are live, and no blob is on its way.
  private func isSettled() throws -> Bool {
    var digests: Set<[UInt8]> = []
    for replica in world.replicas where !isOut(replica) {
      guard let store = replica.running else { return false }
      digests.insert(try store.digest(of: world.space, withDeleted: !simulation.raisesHorizon))
      guard digests.count == 1 else { return false }
    }
    for connection in world.connections where !connection.isRevoked {
      guard case .live = connection.conversation, connection.connectionState == .online else {
        return false
      }
    }
    return try missingBlobs().isEmpty
  }

  /// The blobs that one replica names and lacks, and that another could give.
  private func missingBlobs() throws -> [String] {
    var missing: [String] = []
    let replicas = world.replicas.filter { !isOut($0) }
    for replica in replicas {
      guard let store = replica.running else { continue }
      for blob in try store.blobs.missing(in: world.space) {
        let isHeld = try replicas.contains { try $0.running?.blobs.contains(blob.hash) == true }
        if isHeld { missing.append("\(replica.name) lacks a blob of \(blob.byteCount) bytes") }
      }
    }
    return missing
  }

  private func checkBlobs(_ replica: WorldReplica, _ store: Store) throws {
    let damaged = try store.blobs.scrub()
    guard damaged.isEmpty else {
      throw Violation(
        10, "\(replica.name) holds \(damaged.count) blobs that are not what they are named")
    }
  }

  /// When all are equal nothing but heartbeats goes over the links, and every session says so (16).
  /// Changes that one route brought may still be under way on another, which takes messages of
  /// 1 KiB; then it is silent.
  private func checkQuiet() throws {
    var (minutes, silent) = (0, 0)
    while silent < 3 {
      let before = world.log.messageCount
      world.run(for: .seconds(60))
      let count = world.log.messageCount - before
      silent = count <= world.connections.count * 40 ? silent + 1 : 0
      minutes += 1
      guard silent > 0 || minutes < 10 else {
        throw Violation(13, "all are equal, and \(count) messages went in a minute")
      }
    }
    for connection in world.connections where !connection.isRevoked {
      guard connection.connectionState == .online, case .live(let live) = connection.conversation
      else {
        throw Violation(
          16, "\(connection.dialler.name) says that it is \(connection.connectionState)")
      }
      guard live.hasCaughtUp else {
        throw Violation(
          16, "\(connection.dialler.name) holds all and says that it has not caught up")
      }
      // What is missing now nobody has any more.
      let missing = try connection.dialler.running?.blobs.missing(in: world.space).count ?? 0
      let lacked = connection.lackedBlobCount
      guard lacked == missing else {
        throw Violation(
          16, "\(connection.dialler.name) says that it lacks \(lacked) blobs of \(missing)")
      }
    }
  }

  /// What keeps the replicas from being equal.
  private func stall(_ replicas: [WorldReplica]) throws -> Violation {
    var sentences: [String] = try missingBlobs()
    var all: [(replica: WorldReplica, holdings: Holdings)] = []
    for replica in replicas {
      guard let store = replica.running else {
        sentences.append("\(replica.name) does not run")
        continue
      }
      all.append((replica, try Holdings(store, world.space)))
    }
    for connection in world.connections where !connection.isRevoked {
      if case .live = connection.conversation { continue }
      sentences.append(
        "\(connection.dialler.name) to \(connection.acceptor.name) is "
          + "\(connection.connectionState), "
          + "\(connection.conversation)")
    }
    for (replica, holdings) in all {
      let lacking = oracle.writes.first { write in
        write.fate == .sure && !oracle.holds(holdings.state(write.place), write)
      }
      if let lacking { sentences.append("\(replica.name) lacks " + oracle.name(lacking)) }
    }
    let isEqual = Set(all.map { standing($0.holdings) }).count == 1
    if !isEqual { sentences.append("the replicas are not equal") }
    for (one, other) in zip(all, all.dropFirst()) {
      sentences += difference(one, other) + difference(other, one)
    }
    return Violation(
      isEqual ? 13 : 1, "after \(Self.settlingSeconds) s " + sentences.joined(separator: "; "))
  }

  /// Whether a number may name two writes, and nobody could know. Where a bug is switched on, somebody could.
  private func isUnseen(_ dot: Dot) -> Bool {
    simulation.seededBugs.isEmpty && unseen.contains(dot.site) && oracle.isForked(dot)
  }

  /// Whether a number may name two writes, and several machines were put back, so that none may know of the earlier one
  /// that it is another: where deletes go, what was written under it again may count as met and deleted.
  private func mayCountAsMet(_ dot: Dot) -> Bool {
    simulation.raisesHorizon && simulation.seededBugs.isEmpty && oracle.putBackCount > 1
      && oracle.isForked(dot)
  }

  /// Whether all that one replica holds and another does not has a number that may name two writes, since a machine was
  /// put back: no vector shows what is missing then. With a seeded bug nothing is forgiven.
  private func isApartByForks(_ replicas: [WorldReplica]) throws -> Bool {
    let all = try replicas.compactMap {
      try $0.running.map { try standing(Holdings($0, world.space)) }
    }
    guard simulation.seededBugs.isEmpty, all.count == replicas.count, try missingBlobs().isEmpty
    else { return false }
    // What went before a machine was put back may be missed by one and not by another, under honest vectors.
    if simulation.raisesHorizon, oracle.isAnyPutBack { return true }
    var isApart = false
    for (one, other) in all.flatMap({ one in all.map { (one, $0) } }) {
      for (place, state) in one {
        let cells = other[place]?.cells ?? []
        let forked = cells.filter { oracle.isForked($0.dot) }
        for cell in state.cells where !cells.contains(cell) {
          isApart = true
          // What a forked one took away is gone there.
          var taken = RecordState(forked)
          guard oracle.isForked(cell.dot) || !taken.merge(cell).changed else { return false }
        }
      }
    }
    return isApart
  }

  /// What must be equal: what is deleted may be gone here and not yet there.
  func standing(_ holdings: Holdings) -> [RecordPlace: RecordState] {
    simulation.raisesHorizon ? holdings.standing.filter { !$0.value.isDeleted } : holdings.standing
  }

  /// The first cell that one of two holds and the other does not.
  private func difference(
    _ one: (replica: WorldReplica, holdings: Holdings),
    _ other: (replica: WorldReplica, holdings: Holdings)
  ) -> [String] {
    let others = standing(other.holdings)
    for (place, state) in standing(one.holdings).sorted(by: { $0.key < $1.key }) {
      let cells = others[place]?.cells ?? []
      guard let cell = state.cells.first(where: { !cells.contains($0) }) else { continue }
      return ["\(one.replica.name) alone has \(oracle.name(cell, place))"]
    }
    return []
  }
}
