import Reunion
import ReunionCommandLine

/// `reunion audit`: whether a clone and its server hold the same.
enum AuditCommand {
  private static let help = """
    Usage: reunion audit FOLDER [--json]

    Compares the clone in FOLDER with its server, record by record, though without sending the records: equal
    ones cost some forty bytes. What differs is brought together on both sides. A clone that is kept live does
    this by itself once a week; no program may have the store open now.

    Exit codes: 0 compared, and both hold the same now; 1 failed, 2 not understood, 3 refused, 4 not reachable,
    5 compared, and something differs still.
    """

  static let verb = Verb("audit", help: help) { arguments, output, signals in
    let folder = try arguments.rest(1...1, or: "Say which clone.")[0]
    do {
      let (replica, membership) = try CloneFolder(path: folder).open(by: nil, signals)
      do {
        try audit(replica, membership, output, signals)
      } catch {
        // What failed first is told.
        try? replica.close()
        throw error
      }
      try replica.close()
    } catch is Stopped {
      throw CommandFailure(1, "Stopped before all was compared.")
    } catch let error as JoinError {
      throw CommandFailure(error.code == .unreachable ? 4 : 3, error.description)
    } catch let error as AuditFailure {
      throw CommandFailure(4, error.sentence)
    }
  }

  private static func audit(
    _ replica: Replica, _ membership: Membership, _ output: Output, _ signals: StopSignals
  ) throws {
    for space in membership.spaceIDs {
      let connection = try replica.sync(space, with: membership)
      defer { connection.disconnect() }
      let report = try signals.outcome {
        try await reach(connection)
        return try await connection.audit()
      }
      let (count, rest) = (report.differingCount, report.remainingCount)
      output.say(
        ["space": space.description, "differing": count, "remaining": rest],
        count == 0
          ? "Space \(space): the clone and the server hold the same."
          : "Space \(space): \(count.counted("record")) differed, and "
            + (rest == 0 ? "all are" : "all but \(rest) are")
            + " the same on both sides now. Please report this: nothing should differ.")
      guard rest == 0 else {
        throw CommandFailure(
          5,
          "\(rest.counted("record")) of \(space) differ still: the server does not take what the clone has."
        )
      }
    }
  }

  private static func reach(_ connection: Connection) async throws {
    for await state in connection.state.values() {
      switch state {
      case .online: return
      case .blocked(let reason): throw CommandFailure(3, reason)
      case .waiting(let attempt, _, let reason) where attempt > 1: throw CommandFailure(4, reason)
      case .idle, .connecting, .handshaking, .waiting: break
      }
    }
  }
}
