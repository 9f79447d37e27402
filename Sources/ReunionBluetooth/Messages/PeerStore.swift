/// What outlives the process: this device's key, who is known, which devices are kept connected, and the
/// messages that are not settled: what was sent and has not been taken, and what has arrived and has not
/// been taken.
///
/// *Thread*: one at a time. *Durability*: what a call changed is there after a kill of the process.
/// After a power cut, bytes that arrived last may be missing or wrong, which the message's tag shows;
/// what was queued or taken is not missing.
protocol PeerStore: AnyObject, Sendable {
  /// The secret key of this device; the first call keeps the one that is offered.
  func secretKey(orKeep fresh: [UInt8]) throws -> [UInt8]
  /// The known peers.
  func peers() throws -> [KnownPeer]
  /// Keeps who somebody is, in place of what was kept of them.
  func keep(_ peer: KnownPeer) throws
  /// Which devices that are no peers are kept connected, and for what.
  func devices() throws -> [DeviceID: LinkPlan]
  /// Keeps that a device is kept connected; without a plan, that it is not any more.
  func keep(_ device: DeviceID, for plan: LinkPlan?) throws
  /// What is kept of a peer.
  func messages(of peer: PeerID) throws -> StoredMessages
  /// Keeps a message until it is settled.
  func queue(_ message: SealedMessage, on lane: Lane, for peer: PeerID) throws
  /// Forgets the messages up to a number: the peer has taken them.
  func settle(_ lane: Lane, through number: UInt64, for peer: PeerID) throws
  /// Keeps the head of a message that begins to arrive.
  func begin(_ head: MessageHead, on lane: Lane, from peer: PeerID) throws
  /// Keeps more bytes of a message that arrives.
  func append(_ bytes: ArraySlice<UInt8>, to number: UInt64, on lane: Lane, from peer: PeerID)
    throws
  /// Forgets a message that was arriving, and has not been taken.
  func drop(_ number: UInt64, on lane: Lane, from peer: PeerID) throws
  /// Notes that the program has taken all up to a number, and the mark of the last of them, if it is known.
  func take(_ lane: Lane, through number: UInt64, mark: [UInt8], from peer: PeerID) throws
  /// Notes of which outbox what arrives is; nothing of another one is kept.
  func begin(inbox: UInt64, taken: [Lane: UInt64], from peer: PeerID) throws
  /// Gives the messages that are queued the numbers from 1 on, in their order, under another name of the outbox.
  func renumber(outbox: UInt64, for peer: PeerID) throws
  /// Forgets everything about a peer.
  func forget(_ peer: PeerID) throws
  /// Gives it up: another may use it from now on.
  func close()
}

/// A peer that was verified once.
struct KnownPeer: Hashable, Sendable {
  let id: PeerID
  /// The device that this one connects to; nil where it is the other that connects.
  var device: DeviceID?
}

/// The messages that a store keeps of one peer.
struct StoredMessages: Equatable, Sendable {
  /// The name of this side's outbox: another one where its numbers begin again.
  var outbox: UInt64 = 0
  /// The name of the other side's outbox, as far as it is known.
  var inbox: UInt64 = 0
  /// What was sent and is not settled, by lane, in order.
  var queued: [Lane: [SealedMessage]] = [:]
  /// The number that the next message of a lane gets.
  var next: [Lane: UInt64] = [:]
  /// The highest number that the program has taken, by lane.
  var taken: [Lane: UInt64] = [:]
  /// The mark of the message that has this number, where it is known.
  var takenMarks: [Lane: [UInt8]] = [:]
  /// What has arrived and was not taken, by lane, in order.
  var arriving: [Lane: [ArrivingMessage]] = [:]
}
