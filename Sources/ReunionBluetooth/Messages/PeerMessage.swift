/// A message of a peer.
public struct PeerMessage: Sendable {
  /// The lane that it came on.
  public let lane: Lane
  /// Its place on its lane, from 1 on, without gaps. A program that must do nothing twice keeps the
  /// last number with what it does: after a kill in the wrong moment a message comes again.
  public let number: UInt64
  /// The bytes.
  public let bytes: [UInt8]
  let take: @Sendable () -> Void

  /// Says that the program has it: then its sender hears so, and the next one of the lane comes.
  public func taken() { take() }
}
