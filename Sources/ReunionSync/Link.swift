/// An ordered, bidirectional pipe of messages between two replicas.
///
/// A link carries whole messages: what one side sends, the other receives complete and in order, or
/// the link closes. WebSocket, Bluetooth and in-memory links conform; a session knows no other
/// interface, so that every link runs the same protocol.
///
/// *Thread*: `send`, `pauseReceiving` and `close` may be called from any thread. Events are delivered one at a time,
/// in order, on an executor of the link's own, and never from inside `start`, `send` or `close`.
package protocol Link: AnyObject, Sendable {
  /// Starts the link and delivers its events from now on. Call it once.
  func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void)

  /// Queues one message, which is at most `messageBytesMax`. After the link has closed it does
  /// nothing.
  func send(_ message: [UInt8])

  /// The most bytes of a message that this link carries: at least 1 KiB, at most 1 MiB. A session
  /// sends what is longer in fragments.
  var messageBytesMax: Int { get }

  /// The number of bytes that are queued and not yet handed to the network, without those of blobs where the link has
  /// the rest overtake them.
  ///
  /// A sender that finds `queuedBytesSoftMax` or more here waits for `LinkEvent.drained`.
  var queuedBytes: Int { get }

  /// The bytes of blobs that are queued, where the link has the rest overtake them; otherwise all.
  var queuedBlobBytes: Int { get }

  /// Bytes that may wait in the link before pushes and blobs pause: 256 KiB, and less on a slow one.
  var queuedBytesSoftMax: Int { get }

  /// Stops or resumes reading, so that a receiver which is slower than the network holds back the
  /// sender. What the link has read already may still arrive.
  func pauseReceiving(_ isPaused: Bool)

  /// Closes the link; `LinkEvent.closed` follows as the last event.
  func close()
}

extension Link {
  package var queuedBlobBytes: Int { queuedBytes }
  package var queuedBytesSoftMax: Int { 256 * 1024 }
}

/// What a link reports.
package enum LinkEvent: Sendable {
  /// The link can carry messages.
  case opened
  /// One whole message arrived.
  case received([UInt8])
  /// All queued bytes have been handed to the network.
  case drained
  /// The link is closed, because this side or the other closed it (`nil`) or because it failed.
  case closed(LinkFailure?)
}

/// Why a link failed, in a sentence for a person, and whether trying again may help.
package struct LinkFailure: Error, Sendable, Equatable, CustomStringConvertible {
  /// One sentence that names what failed and what to do.
  package let description: String
  /// False when the other side refused: trying again with the same credentials changes nothing.
  package let mayRetry: Bool

  /// Makes a failure from its sentence.
  package init(_ description: String, mayRetry: Bool = true) {
    self.description = description
    self.mayRetry = mayRetry
  }
}
