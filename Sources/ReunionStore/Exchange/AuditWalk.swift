package import ReunionCore

/// How far an audit is that this side asked for: which ranges are still to be compared.
///
/// Pure. `Store.auditTurn` takes it on by what the other side said.
package struct AuditWalk: Hashable, Sendable {
  /// What is still to be asked.
  enum Todo: Hashable, Sendable {
    /// Whether both have the same in a range.
    case sum(RecordRange)
    /// Which records of a range differ.
    case list(RecordRange)
  }

  /// A part of an answer that was not read yet.
  struct Unread: Hashable, Sendable {
    var part: AuditStep.Part
    /// The arrival as of which was asked.
    var since: UInt64
  }

  /// The first ones are asked now, until they are answered.
  var todo: [Todo] = [.sum(.all)]
  private var askedCount = 0
  /// How many parts of the question come before those.
  private var toldCount = 0
  var unread: [Unread] = []
  /// The records that were found to differ by this side, and that the other side does not know to.
  var untold: [RecordName] = []
  /// The arrival as of which was asked last.
  private(set) var arrival: UInt64 = 0

  /// Nothing was compared yet.
  package init() {}

  /// Whether all is compared, and told.
  package var isOver: Bool { todo.isEmpty && unread.isEmpty && untold.isEmpty }

  /// Notes what was asked, after `told` other parts.
  mutating func asked(_ count: Int, after told: Int, as of: UInt64) {
    (askedCount, toldCount, arrival) = (count, told, of)
  }

  /// Takes an answer; gives the records that the other side found to differ.
  package mutating func take(_ answer: AuditStep) -> [RecordName] {
    todo.removeFirst(min(askedCount, max(0, Int(clamping: answer.answeredCount) - toldCount)))
    askedCount = 0
    var differing: [RecordName] = []
    for part in answer.parts {
      if case .differing(let names) = part {
        differing += names
      } else {
        unread.append(Unread(part: part, since: arrival))
      }
    }
    return differing
  }
}
