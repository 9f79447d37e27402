import ReunionCore
public import ReunionFlow

/// A peer that is proved to be the one that somebody meant. The proof is its key, the secret of an
/// invitation, or a code that two people compared. Only with such a one messages can be exchanged.
///
/// ```swift
/// func talk(to peer: VerifiedPeer) async throws {
///   peer.receive { message in
///     print(String(decoding: message.bytes, as: UTF8.self))
///     message.taken()                           // now its sender goes on
///   }
///   try await peer.send(Array("Good evening".utf8))
///   print("The other program has it.")
/// }
/// ```
///
/// *Thread*: any. It is a small value: two with one `id` speak with the same peer.
public struct VerifiedPeer: Sendable, Identifiable {
  /// The identity of the peer.
  public let id: PeerID
  /// The invitation by which it was met on this connection; nil where it was known, or a code was
  /// compared.
  public let invitation: Invitation?
  /// The identity by which the peer knows this device.
  package let own: PeerID
  let isConnectedNode: Variable<Bool>
  let run: WeakQueue

  /// Whether messages flow at the moment: the connection stands, and both know how far the other
  /// has come.
  public var isConnected: Signal<Bool> { isConnectedNode.signal.distinct() }

  /// Sends a message of at most 64 KiB, and returns when the peer's program has taken it.
  ///
  /// That may be in a second or a month: it waits as long as the peer is out of reach. Where nobody
  /// should wait, use the call with a closure.
  ///
  /// *Durability*: from now on the message survives a lost connection and a kill of either process;
  /// it goes on when both meet again, however late. *Ordering*: messages of one lane arrive in the
  /// order of the calls. A cancelled task waits on: the message is not taken back. *Cost*: two
  /// files are replaced and synced to the disk, and what waits for the peer is in memory too.
  ///
  /// - Parameters:
  ///   - message: The bytes. Nobody else can read them on the way.
  ///   - lane: `records` for what is small and wanted at once, `blobs` for what may wait for it.
  /// - Throws: `BluetoothError`: `tooLarge` over 65,536 bytes, and `disk` if it could not be kept.
  ///   It is `unpaired` where the peer is not known, or is forgotten while this waits. It is
  ///   `closed` if the `Bluetooth` was released: a message that was kept by then goes on with the
  ///   next one.
  public func send(_ message: [UInt8], on lane: Lane = .records) async throws {
    try await withCheckedThrowingContinuation { (resume: CheckedContinuation<Void, any Error>) in
      send(message, on: lane) { resume.resume(with: $0.mapError { $0 as any Error }) }
    }
  }

  /// The same, without waiting: the closure is called once, when the peer has it or that cannot be.
  ///
  /// A message of an earlier start goes on by itself, and no closure tells of it.
  public func send(
    _ message: [UInt8], on lane: Lane = .records,
    _ whenTaken: @escaping @Sendable (Result<Void, BluetoothError>) -> Void
  ) {
    let id = id
    run {
      $0.send(message, on: lane, to: id, whenTaken)
    } otherwise: {
      whenTaken(.failure(.released))
    }
  }

  /// Takes the messages of this peer from now on, one at a time on each lane: the next one comes
  /// when the last was `taken()`. What came before is not lost, it waits. Where the disk fails, it
  /// waits until that can be read.
  ///
  /// A peer has one handler, and the last one counts. It is called on the thread of the radio's
  /// events or of a call. It hands long work to another one, from which `taken()` may be called.
  /// While nobody takes any, at most about 96 KiB wait on each lane, and the sender is held back.
  public func receive(_ handler: @escaping @Sendable (PeerMessage) -> Void) {
    run { [id] core in
      core.withState(of: id) { [unowned core] peerState in
        peerState.handler = handler
        core.give(peerState)
      }
    }
  }
}

/// The session stream: messages that last no longer than the connection, for a sync session.
extension VerifiedPeer {
  /// The most bytes of one message of the session stream.
  package static var streamMessageBytesMax: Int { SessionStream.messageBytesMax }

  /// Tells what happens on the passage from now on, beginning with `opened` where it is open, until
  /// the result is released. Events come one at a time, in order.
  package func listen(
    _ handler: @escaping @Sendable (StreamEvent) -> Void
  ) -> SignalSubscription {
    let (id, run, listener) = (id, run, StreamListener(handler))
    run { $0.add(listener, to: id) }
    return SignalSubscription { run { $0.remove(listener, from: id) } }
  }

  /// Says something; what is urgent overtakes the rest. Without a connection it is gone.
  package func stream(_ message: [UInt8], isUrgent: Bool) {
    let id = id
    run { $0.stream(message, to: id, isUrgent: isUrgent) }
  }

  /// Stops or resumes taking messages: what is under way still comes, at most 68 KiB.
  package func pauseStream(_ isPaused: Bool) {
    let id = id
    run { $0.pauseStream(of: id, isPaused) }
  }
}

/// A peer that nobody has vouched for yet. No message can be sent to it, and none comes from it.
///
/// ```swift
/// func compareCodes(over bluetooth: Bluetooth, ask: (String) async -> Bool) async throws {
///   bluetooth.admitsStrangers = true
///   for try await peer in bluetooth.meetings.values() {
///     let isSame = await ask("Does the other device show \(peer.code)?")
///     if isSame { peer.confirm() } else { peer.refuse() }
///   }
/// }
/// ```
///
/// The device that was found ends the conversation after three minutes without an answer.
public struct UnverifiedPeer: Sendable, Identifiable {
  /// The identity that it claims and has proved: the holder of this key, whoever that is.
  public let id: PeerID
  /// Six digits, which the other device shows as well unless somebody is in between. Whoever is has
  /// one chance of a million at each try: both sides are bound to their part before they know the
  /// other's. Source: the commitment of ZRTP, RFC 6189 §4.4.1.1.
  public let code: String
  let decide: @Sendable (Bool) -> Void

  /// Two people have compared the code, and it is the same on both devices: the peer becomes a
  /// verified one (`Bluetooth.verified`). On the device that was found that is so at once, and on
  /// the one that connected when both have said so; then messages flow.
  ///
  /// Where the conversation has ended meanwhile, this does nothing.
  public func confirm() { decide(true) }

  /// The codes differ, or nobody compared them: the conversation ends.
  ///
  /// The device that connected goes on trying, with a new code each time: after a minute if the
  /// other refused, and otherwise after seconds. That ends when it closes the link of
  /// `Bluetooth.meet(_:by:)`.
  public func refuse() { decide(false) }
}
