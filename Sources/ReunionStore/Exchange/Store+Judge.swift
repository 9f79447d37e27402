package import ReunionCore

extension Store {
  /// Has a rule look at a push, before its parts are taken: what it refuses stands in the push.
  package func judge(
    _ push: inout IncomingPush, in space: SpaceID, by rule: TransactionRule
  ) throws -> [TransactionRule.Verdict] {
    let changes = push.stagedCount > 0 ? try stagedChanges(from: push.peer, in: space) : []
    let verdicts = rule.verdicts(on: changes + push.changes, in: space)
    push.ruledOut = verdicts.mapValues(\.sentence)
    return Array(verdicts.values)
  }
}
