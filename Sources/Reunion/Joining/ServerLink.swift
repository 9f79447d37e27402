import Dispatch
import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync

/// A link to a server, which finds out its membership first and, where the server refuses, why.
///
/// A WebSocket's client hears the status of a refusal and not its sentence, so the sentence is asked for.
final class ServerLink: Link {
  private struct State {
    var socket: (any ServerSocket)?
    var deliver: (@Sendable (LinkEvent) -> Void)?
    var isClosed = false
  }

  private let space: SpaceID
  private let opener: LinkOpener
  private let membership: @Sendable () async throws -> Membership
  /// Whether the server's having forgotten this device can be mended by trying again.
  private let rejoins: @Sendable () -> Bool
  private let state = Lock(State())
  /// Where its end is told when there is no socket to tell it.
  private let queue = DispatchQueue(label: "reunion.link")

  init(
    to space: SpaceID, by opener: LinkOpener,
    membership: @escaping @Sendable () async throws -> Membership,
    rejoins: @escaping @Sendable () -> Bool = { false }
  ) {
    self.space = space
    self.opener = opener
    self.membership = membership
    self.rejoins = rejoins
  }

  var messageBytesMax: Int { Message.bytesMax }
  var queuedBytes: Int { socket?.queuedBytes ?? 0 }
  var queuedBlobBytes: Int { socket?.queuedBlobBytes ?? 0 }

  func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) {
    state.withLock { $0.deliver = deliver }
    Task {
      do {
        open(try await membership())
      } catch let error as JoinError {
        end(
          LinkFailure(error.description, mayRetry: [.unreachable, .notJoined].contains(error.code)))
      } catch {
        end(LinkFailure("\(error)"))
      }
    }
  }

  func send(_ message: [UInt8]) { socket?.send(message) }

  func pauseReceiving(_ isPaused: Bool) { socket?.pauseReceiving(isPaused) }

  func close() {
    let socket = state.withLock { state in
      state.isClosed = true
      return state.socket
    }
    if let socket { socket.close() } else { queue.async { self.end(nil) } }
  }

  private var socket: (any ServerSocket)? { state.withLock { $0.socket } }

  private func open(_ membership: Membership) {
    let socket = opener.link(to: membership.webSocketURL(space), bearer: membership.token)
    let isWanted = state.withLock { state in
      guard !state.isClosed else { return false }
      state.socket = socket
      return true
    }
    guard isWanted else { return end(nil) }
    socket.start { [weak socket] event in
      switch event {
      case .closed(let failure):
        guard socket?.refusalStatus != nil else { return self.end(failure) }
        Task { self.end(await self.explain(failure, membership)) }
      case .opened, .received, .drained: self.state.withLock { $0.deliver }?(event)
      }
    }
  }

  /// Tells the end, once.
  private func end(_ failure: LinkFailure?) {
    let deliver = state.withLock { state in
      state.isClosed = true
      return state.deliver.take()
    }
    deliver?(.closed(failure))
  }

  /// What the server says of its refusal.
  private func explain(
    _ failure: LinkFailure?, _ membership: Membership
  ) async -> LinkFailure? {
    guard let refusal = await membership.refusal(of: space) else { return failure }
    if refusal.isForgotten, rejoins() { return LinkFailure(refusal.sentence) }
    return LinkFailure(refusal.sentence, mayRetry: !refusal.isFinal)
  }
}
