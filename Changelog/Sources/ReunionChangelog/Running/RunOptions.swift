/// How a changelog is run.
package struct RunOptions: Sendable {
  /// The version of new checksums; nil for that of the history, or 9 if the history has none.
  package var checksumVersion: Int?
  /// How long to wait for the lock.
  package var lockWaitMilliseconds: Int64 = 300_000
  /// When a lock that is not ours is taken all the same; nil for never.
  package var stealAfterMilliseconds: Int64?
  /// What the LIQUIBASE column of a new row says, at most 20 characters.
  package var program = "reunion"
  /// Whether a rollback copies the database first.
  package var keepsCopy = true
  /// Whether rows of changesets that ran under another path get the path that they have now.
  package var adoptsPaths = false
  /// What is done with a statement of which nobody knows whether it was done: a process died while it
  /// ran outside of a transaction.
  package var resume: Resume?
  /// Whether somebody asked the run to end: it does before the next statement, and takes the changeset
  /// back that is under way.
  package var isStopped: @Sendable () -> Bool = { false }

  package enum Resume: String, Sendable {
    /// It is run once more.
    case again
    /// It was done: the next one is run.
    case next
  }

  package init() {}

  func checkStop() throws(ChangelogError) {
    guard isStopped() else { return }
    throw ChangelogError(
      .failed, "The run was asked to stop. What it reported as run stays; the rest comes up again.")
  }
}
