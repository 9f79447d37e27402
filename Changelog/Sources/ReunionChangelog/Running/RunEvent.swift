/// What happens while a changelog is run.
package enum RunEvent: Sendable {
  case warning(Warning)
  /// Somebody else has the lock.
  case waiting(holder: String, since: String?)
  /// The lock of a dead process, or by wish another's, is ours now.
  case tookOver(holder: String, since: String)
  /// A changeset begins: the how manieth of how many.
  case began(ChangesetKey, Int, of: Int)
  case ran(ChangesetKey, milliseconds: Int64, isAgain: Bool)
  /// It counts as run.
  case marked(ChangesetKey, why: String)
  /// It ran under another path, and its row has this one now.
  case moved(ChangesetKey, from: String)
  /// Its conditions do not hold; it comes up again.
  case leftOut(ChangesetKey, why: String)
  /// It failed, which its `failOnError:false` allows.
  case failed(ChangesetKey, ChangelogError)
  /// The first statements were done by a process that died.
  case resumed(ChangesetKey, behind: Int)
  case rolledBack(ChangesetKey, milliseconds: Int64)
  case copied(path: String)
  /// A part of `update-testing-rollback` holds.
  case proved(String)
}
