import ReunionCore
import ReunionStore

extension Session.Configuration {
  /// Whether the other side may send such a message: the one table of it, which `docs/security.md` shows
  /// to people. What a message brings is looked at where it is used: changes one by one (`Authority`).
  func takes(_ message: Message) -> Bool {
    switch message {
    case .features, .hello, .pull, .acknowledge, .ping, .pong, .bye, .fragment, .later, .nameAll,
      .unknown:
      true
    // A viewer's are refused, so that it takes them back.
    case .changes, .pushEnd: true
    // A whole space: the conversation takes it, too, of those alone who may change everything.
    case .part: true
    // A guest could have this side take back what it wrote: the conversation takes it of those alone
    // who may change everything.
    case .refused: true
    case .want: servesBlobs
    case .blob: fetchesBlobs
    case .lack, .have: true
    // The server decides which devices are seen, and under which numbers.
    case .presence: true
    // It is followed where a server says it that this side dials.
    case .horizon: true
    // An editor could delete as much: the conversation takes it from those who may change everything.
    case .behind: true
    // Of those alone who may change everything it takes anything away.
    case .whole: true
    // It is believed of those alone who may change everything, and could say as much by a vector.
    case .reached: true
    // It says sums and digests of what the other side holds, and asks for what it may pull in any case.
    case .audit: true
    // It says how far the other side has come, of which nothing here depends but what people are told.
    case .standing: true
    }
  }
}
