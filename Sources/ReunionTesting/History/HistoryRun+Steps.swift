import ReunionCore
import ReunionFlow
import ReunionStore

/// What each step does.
extension HistoryRun {
  mutating func perform(_ step: HistoryStep, _ random: inout SeededRandom) throws {
    switch step {
    case .act(let replica, let action): try act(replica, action, &random)
    case .pass(let milliseconds): world.run(for: .milliseconds(milliseconds))
    case .sleep(let days): try sleep(days)
    case .connect(let connection): self.connection(connection)?.connect()
    case .disconnect(let connection): self.connection(connection)?.disconnect()
    case .cut(let connection, let messages, let isDiallers):
      self.connection(connection)?.cut(afterMessages: messages, ofDialler: isDiallers)
    case .network(let connection, let weather):
      self.connection(connection)?.setQuality(weather.quality)
    case .partition(let connection, let there, let back):
      self.connection(connection)?.partition(there: there, back: back)
    case .networkReturned(let connection): self.connection(connection)?.networkReturned()
    case .setRole(let connection, let role): setRole(connection, role)
    case .revoke(let connection): revoke(connection)
    case .claim(let replica, let other, let milliseconds):
      try claim(at: replica, of: other)
      world.run(for: .milliseconds(milliseconds))
    default: try performAtReplica(step)
    }
  }

  private mutating func performAtReplica(_ step: HistoryStep) throws {
    switch step {
    case .kill(let number, let calls):
      guard let replica = running(number) else { return }
      calls == 0 ? replica.kill() : replica.endAfter(calls: calls, .killed)
    case .cutPower(let number, let calls):
      guard let replica = running(number) else { return }
      guard replica.durability == .full || calls == 0 else { return }
      if replica.durability == .normal {
        try lose(replica) { $0.cutPower() }
      } else {
        calls == 0 ? replica.cutPower() : replica.endAfter(calls: calls, .powerCut)
      }
    case .failCalls(let number, let after, let count):
      guard let disk = running(number)?.disk else { return }
      disk.faults.failingCalls = disk.callCount + 1 + after..<disk.callCount + 1 + after + count
    case .fillDisk(let number, let room):
      guard let disk = running(number)?.disk else { return }
      disk.faults.capacityBytes = disk.byteCount + UInt64(room)
    case .mendDisk(let number): replica(number)?.disk.faults = DiskFaults()
    case .close(let number):
      guard let replica = running(number) else { return }
      closed.insert(number)
      try close(replica)
    case .start(let number): closed.remove(number)
    case .upgrade(let number): try upgrade(number)
    case .snapshot(let number):
      if let replica = running(number) { snapshots[number, default: []].append(replica.snapshot()) }
    case .restore(let number, let index):
      guard let replica = running(number), let kept = snapshots[number], !kept.isEmpty else {
        return
      }
      try lose(replica) { $0.restore(kept[index % kept.count]) }
    case .clone(let number): try clone(number)
    case .setClock(let number, let error): replica(number)?.clockErrorMilliseconds = error
    default: break
    }
  }

  private func replica(_ number: Int) -> WorldReplica? {
    number < world.replicas.count ? world.replicas[number] : nil
  }

  private func running(_ number: Int) -> WorldReplica? {
    replica(number).flatMap { $0.running != nil && !$0.isGone ? $0 : nil }
  }

  private func connection(_ number: Int) -> WorldConnection? {
    number < world.connections.count ? world.connections[number] : nil
  }

  // MARK: Writes

  private mutating func act(_ number: Int, _ action: Int, _ random: inout SeededRandom) throws {
    guard let replica = running(number), let store = replica.running, !simulation.actions.isEmpty
    else {
      return
    }
    let action = simulation.actions[action % simulation.actions.count]
    do {
      try action.perform(store, world.space, &random)
    } catch let violation as Violation {
      guard !replica.isGone else { return }
      throw violation
    } catch {
      guard replica.isGone || replica.disk.faults != DiskFaults() else { throw error }
    }
  }

  /// Has somebody who may edit say that changes of another replica are held, and bring none.
  private func claim(at number: Int, of author: Int) throws {
    guard let replica = running(number), let author = running(author), author !== replica,
      let site = author.running?.site
    else { return }
    let seq = try Self.healthy(author) { try author.store.vector(of: world.space)[site] }
    let held = try Self.healthy(replica) { try replica.store.vector(of: world.space)[site] }
    guard seq > held else { return }
    let liar = Stranger(at: replica, as: .edit)
    liar.arrive()
    liar.say([
      liar.hello(), liar.pull(),
      .pushEnd(
        PushEnd(cursor: 1, position: [], raised: [.init(site: .new(site), seq: seq)])),
    ])
    world.run(for: .milliseconds(20))
    liar.leave()
  }

  // MARK: Processes and machines

  /// Starts the app's next version at a replica.
  private mutating func upgrade(_ number: Int) throws {
    guard let replica = running(number), let older = versions[number], older > 0 else { return }
    versions[number] = older - 1
    try close(replica)
    replica.willUpgrade(to: simulation.models[older - 1])
    try start(replica)
  }

  private func close(_ replica: WorldReplica) throws {
    do {
      try replica.close()
    } catch {
      guard replica.disk.faults != DiskFaults() else { throw error }
    }
  }

  private mutating func sleep(_ days: Int) throws {
    let awake = world.replicas.filter { $0.running != nil }
    for replica in awake { try close(replica) }
    world.run(for: .seconds(60))
    world.run(for: .seconds(days * 86_400))
    for replica in awake where replica.running == nil { try start(replica) }
  }

  /// Has a replica lose what it wrote lately, and learns which writes may be gone by that.
  private mutating func lose(_ replica: WorldReplica, _ body: (WorldReplica) -> Void) throws {
    try look()
    body(replica)
    replica.disk.faults = DiskFaults()
    durable[replica.number] = nil
    claims.forget(replica)
    world.standing?.forget()
    try start(replica)
    guard let store = replica.running else { return }
    let site = store.site(in: world.space)
    if try !isSeen(replica, store) { unseen.insert(site) }
    oracle.putBack(replica, to: site, seq: try store.vector(of: world.space)[site])
    let rescuers = try rescuers()
    var known = oracle
    // What nobody shows any more nobody can bring.
    known.letsGo = false
    oracle.open { write in
      write.fate == .sure && !rescuers.contains { known.holds($0.brings(write), write) }
    }
    let kept = try keptConflicts()
    oracle.loseConflict { [known] write in
      // One that is shown still, and that another beats which is under way, may have lost at this replica alone.
      !kept.contains(WriteName(write.change))
        && (known.isWrittenOver(write)
          || !rescuers.contains { known.shows($0.brings(write), write) })
    }
  }

  /// Whether any other replica can show a machine by a position that it was put back.
  private func isSeen(_ replica: WorldReplica, _ store: Store) throws -> Bool {
    try world.replicas.contains { other in
      guard other !== replica else { return false }
      guard let others = other.running else { return true }
      let position = try Self.healthy(other) {
        try others.position(of: store.site, in: world.space)
      }
      if case .rolledBack = try store.resume(from: position, in: world.space) { return true }
      return false
    }
  }

  /// What is kept as a conflict at any replica.
  private func keptConflicts() throws -> Set<WriteName> {
    var names: Set<WriteName> = []
    for replica in world.replicas {
      guard let store = replica.running, !isOut(replica) else { continue }
      try Self.healthy(replica) {
        for place in oracle.places.keys {
          let cells = try store.conflicts(entity: place.entity, place.id, in: world.space)
          names.formUnion(cells.map { WriteName($0, at: place) })
        }
      }
    }
    return names
  }

  struct Rescuer {
    /// The device whose changes alone it may bring; nil for all.
    let onlyDevice: UInt64?
    let holdings: Holdings

    /// What it may bring of the record of a write.
    func brings(_ write: KnownWrite) -> RecordState {
      let state = holdings.state(write.place)
      guard let onlyDevice else { return state }
      guard onlyDevice == write.device else { return RecordState() }
      return RecordState(state.cells.filter { $0.dot.site.device == onlyDevice })
    }
  }

  /// What each running replica holds that may bring anything, and whether it may bring what others wrote.
  func rescuers() throws -> [Rescuer] {
    try world.replicas.compactMap { replica in
      guard let store = replica.running, !isOut(replica), role(of: replica) != .view else {
        return nil
      }
      return Rescuer(
        onlyDevice: isLimited(replica) ? store.site.device : nil,
        holdings: try Self.healthy(replica) { try Holdings(store, world.space) })
    }
  }

  private mutating func clone(_ number: Int) throws {
    guard let replica = running(number), let store = replica.running, world.replicas.count < 6
    else { return }
    // What a machine wrote after it was put back, and before it met anyone, a copy of it cannot know to
    // be a second history.
    let site = store.site(in: world.space)
    let seq = try Self.healthy(replica) { try store.vector(of: world.space)[site] }
    guard !oracle.isForked(Dot(site: site, seq: seq)) else { return }
    let clone = try world.cloneReplica(replica, as: replica.name + "'")
    versions[clone.number] = versions[number]
    try lookAtCopy(clone, of: replica, above: Dot(site: site, seq: seq))
    for connection in world.connections where connection.dialler === replica {
      world.connect(clone, to: connection.acceptor, connection.terms)
    }
    if !world.connections.contains(where: { $0.dialler === clone }) {
      world.connect(clone, to: replica)
    }
  }

  /// Learns what a copy holds of a commit that failed where it was copied from.
  private mutating func lookAtCopy(
    _ clone: WorldReplica, of replica: WorldReplica, above last: Dot
  ) throws {
    guard let copy = clone.running else { return }
    let changes = try Self.healthy(clone) { try copy.changes(in: world.space).changes }
    try oracle.lookAtCopy(
      changes.filter { $0.cell.dot.site == last.site && $0.cell.dot.seq > last.seq },
      author: replica.number, role: role(of: replica)
    ) { [world] place in try Self.above(replica, place, in: world) }
  }

  // MARK: Members

  /// Whether a replica has been put out everywhere.
  func isOut(_ replica: WorldReplica) -> Bool {
    let connections = world.connections(of: replica)
    return !connections.isEmpty && connections.allSatisfy(\.isRevoked)
  }

  private mutating func setRole(_ number: Int, _ role: WorldRole) {
    guard let connection = connection(number), connection.terms.role != role else { return }
    openWrites(of: connection)
    connection.setRole(role)
    openUnheld()
  }

  private mutating func revoke(_ number: Int) {
    guard let connection = connection(number) else { return }
    openWrites(of: connection)
    connection.revoke()
    openUnheld()
  }

  /// What nobody holds any more who may bring it, since a machine lost it, may be gone, and so may what is
  /// held only by what was written over it and may be gone.
  private mutating func openUnheld() {
    guard let rescuers = try? rescuers() else { return }
    var known = oracle
    known.letsGo = false
    oracle.open { write in
      write.fate == .sure
        && !rescuers.contains {
          known.holds(known.sure(of: $0.brings(write), at: write.place), write)
        }
    }
  }

  /// What a member wrote and its server does not hold may be allowed or not by now.
  private mutating func openWrites(of connection: WorldConnection) {
    guard let device = connection.dialler.running?.site.device else { return }
    oracle.mixRoles(of: device)
    let store = connection.acceptor.running
    let held = store.flatMap { store in
      try? Self.healthy(connection.acceptor) { try Holdings(store, world.space) }
    }
    var known = oracle
    known.letsGo = false
    oracle.open { write in
      guard write.device == device, let held else { return write.device == device }
      return !known.holds(held.state(write.place), write)
    }
    // What was beaten there and never came is a conflict that nobody hears of.
    let kept = (try? keptConflicts()) ?? []
    oracle.loseConflict { write in
      write.device == device && !kept.contains(WriteName(write.change))
        && !known.shows(held?.state(write.place) ?? RecordState(), write)
    }
  }
}
