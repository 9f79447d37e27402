/// Why a channel must end.
enum ChannelFault: Error, Hashable {
  /// The other side sent what the protocol does not allow.
  case violation
  /// This side was put back to an earlier state, and counts anew: connect again.
  case startsOver
}
