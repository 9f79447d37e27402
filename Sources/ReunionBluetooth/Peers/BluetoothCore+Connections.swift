import ReunionCore
import ReunionFlow

extension BluetoothCore {
  // MARK: Beginning

  /// A connection of this side is ready for the greeting.
  func greet(_ link: DeviceLink) {
    guard let way = link.way else { return }
    let (radio, device) = (radio, link.device)
    link.connection = begin(way, with: device) { frame in
      radio.writeWithoutResponse(frame, to: ReunionService.inward, of: device)
    }
    if let connection = link.connection { pump(connection) }
  }

  /// A device has found this one, and listens.
  func accept(_ device: DeviceID) {
    dropInbound(of: device)
    let radio = radio
    func tell(_ frame: [UInt8]) -> Bool {
      radio.notify(frame, of: ReunionService.outward, to: device)
    }
    let unknown = inbound.values.filter { $0.peer == nil && !$0.isAtCode }
    if unknown.count >= StrangerLimit.inboundMax,
      let oldest = unknown.min(by: { $0.number < $1.number })
    {
      // The one that has been in a greeting for longest makes room: nobody keeps a friend out by
      // saying nothing.
      oldest.channel.close(.busy)
      pump(oldest)
    }
    guard let connection = begin(nil, with: device, transmit: tell) else { return }
    connection.greetingEnd = clock.timeNow.advanced(by: LinkMachine.stepLimit)
    inbound[device] = connection
    connection.channel.begin()
    pump(connection)
  }

  private func begin(
    _ way: Greeting.Way?, with device: DeviceID, transmit: @escaping ([UInt8]) -> Bool
  ) -> RadioConnection? {
    lastNumber += 1
    let (number, later) = (lastNumber, later)
    var terms = terms
    terms.mayTry = { [shared, clock] in
      shared.withLock { $0.strangers.mayTry(number, at: clock.timeNow) }
    }
    guard
      let channel = try? Channel(
        way, terms: terms, frameBytesMax: Frame.bytesMax(ofValue: radio.valueBytesMax(of: device)),
        using: &random, seededBugs: seededBugs)
    else { return nil }
    let connection = RadioConnection(
      number, with: device, isCentral: way != nil, channel: channel, clock: clock,
      transmit: transmit,
      wake: {
        later { core in
          if let connection = core.connections[number] { core.pump(connection) }
        }
      })
    connections[number] = connection
    return connection
  }

  // MARK: Under way

  func receive(_ bytes: [UInt8], _ connection: RadioConnection) {
    connection.channel.receive(bytes, at: clock.timeNow)
    pump(connection)
  }

  /// Sends what may be sent, and does what that led to.
  func pump(_ connection: RadioConnection) {
    for event in connection.pump() {
      switch event {
      case .introduced(let introduction): introduce(introduction, connection)
      case .opened: opened(connection)
      case .settled(let lane, let numbers):
        if let peer = connection.peer { peerStates[peer]?.settle(numbers, on: lane) }
      case .received(let message): tell(.received(message), of: connection)
      case .drained(let isUrgent): tell(.drained(isUrgent: isUrgent), of: connection)
      case .ended(let end): ended(connection, end)
      }
    }
    if let peer = connection.peer, let peerState = peerStates[peer] { give(peerState) }
  }

  private func introduce(_ introduction: Greeting.Introduction, _ connection: RadioConnection) {
    let peer = introduction.peer
    if connection.isCentral { links[connection.device]?.machine.offer(.greeted) }
    connection.greetingEnd = nil
    connection.invitation = introduction.invitation
    guard let code = introduction.code else { return verify(peer, connection) }
    if !connection.isCentral {
      connection.isAtCode = true
      connection.greetingEnd = clock.timeNow.advanced(by: StrangerLimit.codeLimit)
    }
    let (number, later) = (connection.number, later)
    meetings.send(
      UnverifiedPeer(
        id: peer, code: code,
        decide: { isRight in
          later { core in
            guard let connection = core.connections[number] else { return }
            if isRight {
              core.verify(peer, connection)
            } else {
              connection.channel.close(.stranger)
              core.pump(connection)
            }
          }
        }))
  }

  /// Somebody is who they should be: their messages flow over this connection.
  ///
  /// The one who was found keeps the other first. The one who connects keeps it when it hears the
  /// first word, and until then comes back in the way that it came: so neither takes itself for
  /// known when the other does not know it.
  private func verify(_ peer: PeerID, _ connection: RadioConnection) {
    connection.greetingEnd = nil
    connection.peer = peer
    do {
      if !connection.isCentral {
        shared.withLock { $0.strangers.giveBack(connection.number) }
        try keep(KnownPeer(id: peer, device: nil), by: connection.invitation)
      }
      activate(connection, of: try peerState(of: peer))
    } catch {
      connection.channel.close(.leaving)
    }
    pump(connection)
  }

  private func keep(_ known: KnownPeer, by invitation: Invitation?) throws {
    let present = try store.peers().first { $0.id == known.id }
    // A peer that connects to this device may be one to which this device connects as well.
    let known = KnownPeer(id: known.id, device: known.device ?? present?.device)
    if known != present { try store.keep(known) }
    shared.withLock { _ = $0.known.insert(known.id) }
    let node = try peerState(of: known.id).isConnected
    verified.send(
      VerifiedPeer(
        id: known.id, invitation: invitation, own: terms.id, isConnectedNode: node, run: later))
  }

  /// Lets messages flow over a connection, unless another one is to be preferred. Of two that were
  /// made from different sides, the one that the lower key made is preferred.
  private func activate(_ connection: RadioConnection, of peerState: PeerState) {
    if let present = peerState.connection, present !== connection {
      let isOwnLower = terms.id < peerState.mailbox.peer
      if present.isCentral != connection.isCentral, present.isCentral == isOwnLower {
        peerState.standby.append(connection)
        return
      }
      peerState.connection = nil
      if present.channel.isOpen { peerState.tell(.closed) }
      present.channel.close(.leaving)
      pump(present)
    }
    peerState.connection = connection
    connection.channel.attach(peerState.mailbox, at: clock.timeNow)
  }

  private func opened(_ connection: RadioConnection) {
    guard let peer = connection.peer else { return }
    if connection.isCentral {
      let known = KnownPeer(id: peer, device: connection.device)
      guard (try? keep(known, by: connection.invitation)) != nil else {
        connection.channel.close(.leaving)
        return pump(connection)
      }
      links[connection.device]?.way = .known(peer)
      links[connection.device]?.known = peer
    }
    peerStates[peer]?.isConnected.value = true
    tell(.opened, of: connection)
  }

  /// Tells the program what happens on the stream to a peer.
  private func tell(_ event: StreamEvent, of connection: RadioConnection) {
    guard let peer = connection.peer, let peerState = peerStates[peer],
      peerState.connection === connection
    else {
      return
    }
    peerState.tell(event)
  }

  /// Adds a listener that is told what is said on the stream to a peer.
  func add(_ listener: StreamListener, to peer: PeerID) {
    withState(of: peer) { peerState in
      peerState.listeners.append(listener)
      if peerState.connection?.channel.isOpen == true { listener.tell(.opened) }
    }
  }

  func remove(_ listener: StreamListener, from peer: PeerID) {
    // One who was unpaired meanwhile is not known any more, and may have something to tell still.
    if let peerState = peerStates[peer] { return peerState.listeners.removeAll { $0 === listener } }
    withState(of: peer) { peerState in peerState.listeners.removeAll { $0 === listener } }
  }

  /// Says something on the stream to a peer; without a connection it is gone.
  func stream(_ message: [UInt8], to peer: PeerID, isUrgent: Bool) {
    guard let connection = peerStates[peer]?.connection, connection.channel.isOpen else { return }
    connection.channel.stream.queue(message, isUrgent: isUrgent)
    pump(connection)
  }

  /// Stops or resumes taking what a peer says on the session stream.
  func pauseStream(of peer: PeerID, _ isPaused: Bool) {
    guard let connection = peerStates[peer]?.connection else { return }
    connection.channel.pauseStream(isPaused)
    pump(connection)
  }

  // MARK: Messages

  /// What is kept of a verified peer.
  func peerState(of peer: PeerID) throws -> PeerState {
    if let peerState = peerStates[peer] { return peerState }
    let peerState = PeerState(
      try PeerMailbox(with: peer, store: store, seededBugs: seededBugs),
      isConnected: shared.withLock { $0.isConnected(peer) })
    peerStates[peer] = peerState
    return peerState
  }

  /// Does something with the state of a known peer, at once or as soon as the disk lets it be read.
  /// All of it is done in order.
  func withState(of peer: PeerID, _ body: @escaping (PeerState) -> Void) {
    guard shared.withLock({ $0.known.contains(peer) }) else { return }
    waitingWork[peer, default: []].append(body)
    runWaitingWork(of: peer)
  }

  private func runWaitingWork(of peer: PeerID) {
    guard waitingWork[peer] != nil else { return }
    do {
      let peerState = try peerState(of: peer)
      readingAgain[peer] = nil
      for body in waitingWork.removeValue(forKey: peer) ?? [] { body(peerState) }
    } catch {
      let later = later
      readingAgain[peer] = Countdown(after: Self.againDelay, clock: clock) {
        later { core in core.runWaitingWork(of: peer) }
      }
    }
  }

  /// Queues a message, and says when the peer has it.
  func send(
    _ bytes: [UInt8], on lane: Lane, to peer: PeerID,
    _ resume: @escaping @Sendable (Result<Void, BluetoothError>) -> Void
  ) {
    guard bytes.count <= PeerMailbox.messageBytesMax else {
      let reason = "A message has at most 65,536 bytes. Send it in parts."
      return resume(.failure(BluetoothError(.tooLarge, reason)))
    }
    do {
      guard shared.withLock({ $0.known.contains(peer) }) else {
        let reason = "The peer was unpaired. Meet it again first."
        throw BluetoothError(.unpaired, reason)
      }
      let peerState = try peerState(of: peer)
      let key = (0..<Cipher.keyBytes).map { _ in
        UInt8(truncatingIfNeeded: random.next() >> 32)
      }
      let number = try peerState.mailbox.queue(bytes, on: lane, key: key)
      peerState.wait(for: number, on: lane, resume)
      if let connection = peerState.connection { pump(connection) }
    } catch let error as BluetoothError {
      resume(.failure(error))
    } catch {
      resume(.failure(BluetoothError(.disk, "The message could not be kept. Free some space.")))
    }
  }

  /// Gives the program what has arrived.
  func give(_ peerState: PeerState) {
    guard let handler = peerState.handler else { return }
    let (peer, later) = (peerState.mailbox.peer, later)
    for lane in Lane.allCases {
      guard let message = peerState.mailbox.give(on: lane) else { continue }
      if seededBugs.acknowledgedBeforeDelivery { taken(message.number, lane, peer) }
      handler(
        PeerMessage(lane: lane, number: message.number, bytes: message.text) {
          later { core in core.taken(message.number, lane, peer) }
        })
    }
  }

  private func taken(_ number: UInt64, _ lane: Lane, _ peer: PeerID) {
    guard let peerState = peerStates[peer] else { return }
    do {
      guard try peerState.mailbox.take(number, on: lane) else { return }
    } catch {
      // The disk failed: its sender goes on waiting, and a start before the next try gives it
      // again.
      let later = later
      peerState.takingAgain[lane] = Countdown(after: Self.againDelay, clock: clock) {
        later { core in core.taken(number, lane, peer) }
      }
      return
    }
    peerState.takingAgain[lane] = nil
    if let connection = peerState.connection {
      connection.channel.acknowledge(number, on: lane, at: clock.timeNow)
      pump(connection)
    }
    give(peerState)
  }

  // MARK: Ending

  /// Forgets a peer.
  func unpair(_ peer: PeerID) {
    try? store.forget(peer)
    for link in links.values {
      guard link.known == peer else { continue }
      (link.way, link.known) = (.code, nil)
      link.machine.offer(.leave)
    }
    (waitingWork[peer], readingAgain[peer]) = (nil, nil)
    guard let peerState = peerStates.removeValue(forKey: peer) else { return }
    for connection in [peerState.connection].compactMap({ $0 }) + peerState.standby {
      connection.channel.close(.leaving)
      pump(connection)
    }
    peerState.isConnected.value = false
    peerState.tell(.closed)
    peerState.fail(BluetoothError(.unpaired, "The peer was unpaired. Meet it again first."))
  }

  /// A device that had found this one is gone.
  func dropInbound(of device: DeviceID) {
    if let connection = inbound.removeValue(forKey: device) { drop(connection) }
  }

  /// A connection is gone: nothing more is said on it.
  func drop(_ connection: RadioConnection) {
    connection.channel.close(.leaving)
    for event in connection.channel.takeEvents() {
      if case .ended = event { retire(connection) }
    }
    retire(connection)
  }

  private func retire(_ connection: RadioConnection) {
    connection.stop()
    connections[connection.number] = nil
    guard let peer = connection.peer, let peerState = peerStates[peer] else { return }
    peerState.standby.removeAll { $0 === connection }
    guard peerState.connection === connection else { return }
    peerState.connection = nil
    peerState.tell(.closed)
    peerState.isConnected.value = false
    guard !peerState.standby.isEmpty else { return }
    let next = peerState.standby.removeFirst()
    peerState.connection = next
    next.channel.attach(peerState.mailbox, at: clock.timeNow)
    pump(next)
  }

  private func ended(_ connection: RadioConnection, _ end: ChannelEnd) {
    if !connection.isCentral {
      if inbound[connection.device] === connection { inbound[connection.device] = nil }
      return retire(connection)
    }
    retire(connection)
    guard let link = links[connection.device], link.connection === connection else { return }
    link.connection = nil
    var isKnown = false
    if case .known = link.way { isKnown = true }
    switch end {
    case .asked: link.machine.offer(.failed)
    case .closed(.stranger) where goesOnAsKnown(link),
      .refused(.stranger) where goesOnAsKnown(link), .closed(.busy) where goesOnAsKnown(link):
      link.machine.offer(.failed)
    case .closed(.stranger), .refused(.stranger):
      link.machine.offer(.refused(isKnown ? .keyLost : .refused))
    case .closed(.busy), .closed(.unknownSuite), .refused: link.machine.offer(.refused(.refused))
    case .closed, .violation, .stalled, .startsOver, .failed: link.machine.offer(.failed)
    }
  }
}
