/// What must hold before a changeset is run, and what is done where it does not.
package struct Preconditions: Sendable, Equatable {
  package var conditions: [Precondition] = []
  package var onFail = Reaction.halt
  package var onError = Reaction.halt
  package var onScript = ScriptReaction.ignore

  package init() {}

  /// What is done with a changeset whose conditions do not hold, or cannot be checked.
  package enum Reaction: String, Sendable {
    /// The whole run ends.
    case halt = "HALT"
    /// The changeset is left out, and comes up again in the next run.
    case proceed = "CONTINUE"
    /// It counts as run from now on.
    case markRan = "MARK_RAN"
    /// It is run nevertheless.
    case warn = "WARN"
  }

  /// What is done where SQL is only written down.
  package enum ScriptReaction: String, Sendable {
    /// The conditions count as met.
    case ignore = "IGNORE"
    case fail = "FAIL"
    case test = "TEST"
  }
}

package indirect enum Precondition: Sendable, Equatable {
  /// A query gives one row, whose first value is this text.
  case query(String, expected: String, Place)
  case table(String, schema: String?, Place)
  case view(String, schema: String?, Place)
  case column(String, of: String, schema: String?, Place)
  case index(String, of: String?, schema: String?, Place)
  case sequence(String, schema: String?, Place)
  /// A table has the expected number of rows.
  case rowCount(String, schema: String?, expected: String, Place)
  /// A changeset was run.
  case changeset(id: String, author: String, path: String, Place)
  /// The database is one of these.
  case dbms(String)
  case all([Precondition])
  case any([Precondition])
  case not(Precondition)
}
