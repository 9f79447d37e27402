/// What happens on the stream to a peer: messages that last no longer than the connection.
package enum StreamEvent: Sendable {
  /// Both sides may speak.
  case opened
  /// A message came.
  case received([UInt8])
  /// All that waited, of what is urgent or of the rest, is on its way.
  case drained(isUrgent: Bool)
  /// The connection is over; what was said and not heard is gone.
  case closed
}

/// Somebody whom a session stream tells.
final class StreamListener: Sendable {
  let tell: @Sendable (StreamEvent) -> Void
  init(_ tell: @escaping @Sendable (StreamEvent) -> Void) { self.tell = tell }
}
