/// Why a WebSocket ended, in a sentence for a person, whoever speaks the protocol below.
package struct WebSocketEnding: Sendable {
  /// The server's name, and its port where that is not the usual one.
  private let authority: String

  package init(authority: String) { self.authority = authority }

  /// How an open connection ended, by the code of the other side's close frame; without one it was lost.
  ///
  /// `nil` where the other side closed it in good order.
  package func closed(_ code: UInt16?) -> LinkFailure? {
    let server = "The server at \(authority)"
    switch code {
    case nil: return LinkFailure("The connection to \(authority) was lost.")
    case 1000, 1005: return nil
    case 1001: return LinkFailure("\(server) is going away.")
    case 4401: return LinkFailure("\(server) ended this membership: join again.", mayRetry: false)
    case .some(let code):
      // Anything else is for a while, such as the restart of a proxy between (1011, 1012). 1002 too:
      // libwebsockets reports 1012 and 1013 as that.
      let isFinal = [1003, 1007, 1009].contains(code)
      return LinkFailure("\(server) closed the connection (code \(code)).", mayRetry: !isFinal)
    }
  }

  /// Why a connection never opened: the status of an answer that was no WebSocket, 0 where there was
  /// none.
  package func refused(_ status: Int, reason: String) -> LinkFailure {
    switch status {
    case 401, 403:
      LinkFailure("The server at \(authority) refused (\(status)): join again.", mayRetry: false)
    case 101, 0:
      LinkFailure(
        "The server at \(authority) cannot be reached" + (reason.isEmpty ? "." : " (\(reason))."))
    default:
      LinkFailure("The server at \(authority) answered \(status), not as a WebSocket.")
    }
  }

  // What one side cannot take: trying again would change nothing.
  package static let tooLongToSend = LinkFailure(
    "A message to send was over 1 MiB.", mayRetry: false)
  package static let tooLongToTake = LinkFailure(
    "The server sent a message of more than 1 MiB.", mayRetry: false)
  package static let textTaken = LinkFailure(
    "The server sent text instead of bytes.", mayRetry: false)

  package static func badAddress(_ address: String) -> LinkFailure {
    LinkFailure("\(address) is not the address of a WebSocket (ws://…).", mayRetry: false)
  }
}
