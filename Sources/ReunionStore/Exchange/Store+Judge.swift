package import ReunionCore

extension Store {
  /// Has a rule look at a push, before its parts are taken: what it refuses stands in the push. It does not
  /// see what changes nothing, since it is held already: that may come again after a connection was lost.
  package func judge(
    _ push: inout IncomingPush, in space: SpaceID, by rule: TransactionRule
  ) throws -> [TransactionRule.Verdict] {
    let staged = push.stagedCount > 0 ? try stagedChanges(from: push.peer, in: space) : []
    let byRecord = Dictionary(grouping: staged + push.changes) {
      RecordKey(entity: $0.entity, id: $0.record)
    }
    let changes = try byRecord.flatMap { key, changes in
      let held = try record(entity: key.entity, key.id, in: space)?.cells ?? []
      return changes.filter { change in !held.contains { $0.makesStale(change.cell) } }
    }
    let verdicts = rule.verdicts(on: changes, in: space)
    push.ruledOut = verdicts.mapValues(\.sentence)
    return Array(verdicts.values)
  }
}

extension Cell {
  /// Whether this one, which is held, is the other or a later one of the same register.
  fileprivate func makesStale(_ other: Cell) -> Bool {
    guard field == other.field, merge == other.merge else { return false }
    if dot == other.dot && stamp == other.stamp { return true }
    return merge == .register && (stamp, dot.site) > (other.stamp, other.dot.site)
  }
}
