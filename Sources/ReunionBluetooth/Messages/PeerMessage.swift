/// A message of a peer, which the program has until it calls `taken()`.
///
/// ```swift
/// func keep(_ message: PeerMessage, in folder: URL) throws {
///   let file = folder.appending(path: "\(message.lane)-\(message.number)")
///   try Data(message.bytes).write(to: file, options: .atomic)   // twice leaves one file
///   message.taken()
/// }
/// ```
///
/// *Durability*: until it was taken it comes again at each start, and its sender waits.
public struct PeerMessage: Sendable {
  /// The lane that it came on.
  public let lane: Lane
  /// Its place on its lane, from 1 on, without gaps. A program that must do nothing twice keeps the
  /// last number with what it does: after a kill in the wrong moment a message comes again.
  ///
  /// The numbers begin at 1 again where the peer's program unpaired this one, or its files were put
  /// back to an earlier state.
  public let number: UInt64
  /// The bytes, whole and as they were sent: at most 65,536.
  public let bytes: [UInt8]
  let take: @Sendable () -> Void

  /// Says that the program has it: then its sender hears so, and the next one of the lane comes.
  ///
  /// *Durability*: that it was taken is on the disk before the sender hears it. Where the disk
  /// fails, that is tried again each second. A second call does nothing.
  public func taken() { take() }
}
