import ReunionCore
import ReunionFlow

extension Switchboard {
  // MARK: Beginning

  /// A connection of this side is ready for the greeting.
  func greet(_ keeper: Keeper) {
    guard let way = keeper.way else { return }
    let (radio, device) = (radio, keeper.device)
    keeper.conversing = begin(way, with: device) { frame in
      radio.writeWithoutResponse(frame, to: ReunionService.inward, of: device)
    }
    if let conversing = keeper.conversing { pump(conversing) }
  }

  /// A device has found this one, and listens.
  func welcome(_ device: DeviceID) {
    leave(device)
    let radio = radio
    func tell(_ frame: [UInt8]) -> Bool {
      radio.notify(frame, of: ReunionService.outward, to: device)
    }
    let unknown = guests.values.filter { $0.peer == nil && !$0.isAtCode }
    if unknown.count >= StrangerLimit.guestsMax,
      let oldest = unknown.min(by: { $0.number < $1.number })
    {
      // The guest that has been in a greeting for longest makes room: nobody keeps a friend out by
      // saying nothing.
      oldest.channel.close(.busy)
      pump(oldest)
    }
    guard let guest = begin(nil, with: device, transmit: tell) else { return }
    guest.greetingEnd = clock.timeNow.advanced(by: LinkMachine.stepLimit)
    guests[device] = guest
    guest.channel.begin()
    pump(guest)
  }

  private func begin(
    _ way: Greeting.Way?, with device: DeviceID, transmit: @escaping ([UInt8]) -> Bool
  ) -> Conversing? {
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
    let conversing = Conversing(
      number, with: device, isCentral: way != nil, channel: channel, clock: clock,
      transmit: transmit,
      wake: {
        later { board in
          if let conversing = board.conversings[number] { board.pump(conversing) }
        }
      })
    conversings[number] = conversing
    return conversing
  }

  // MARK: Under way

  func receive(_ bytes: [UInt8], _ conversing: Conversing) {
    conversing.channel.receive(bytes, at: clock.timeNow)
    pump(conversing)
  }

  /// Sends what may be sent, and does what that led to.
  func pump(_ conversing: Conversing) {
    for event in conversing.pump() {
      switch event {
      case .introduced(let introduction): introduce(introduction, conversing)
      case .opened: opened(conversing)
      case .settled(let lane, let numbers):
        if let peer = conversing.peer { desks[peer]?.settle(numbers, on: lane) }
      case .passed(let message): tell(.passed(message), of: conversing)
      case .drained(let isUrgent): tell(.drained(isUrgent: isUrgent), of: conversing)
      case .ended(let end): ended(conversing, end)
      }
    }
    if let peer = conversing.peer, let desk = desks[peer] { give(desk) }
  }

  private func introduce(_ introduction: Greeting.Introduction, _ conversing: Conversing) {
    let peer = introduction.peer
    if conversing.isCentral { keepers[conversing.device]?.machine.offer(.greeted) }
    conversing.greetingEnd = nil
    conversing.invitation = introduction.invitation
    guard let code = introduction.code else { return verify(peer, conversing) }
    if !conversing.isCentral {
      conversing.isAtCode = true
      conversing.greetingEnd = clock.timeNow.advanced(by: StrangerLimit.codeLimit)
    }
    let (number, later) = (conversing.number, later)
    meetings.send(
      UnverifiedPeer(
        id: peer, code: code,
        decide: { isRight in
          later { board in
            guard let conversing = board.conversings[number] else { return }
            if isRight {
              board.verify(peer, conversing)
            } else {
              conversing.channel.close(.stranger)
              board.pump(conversing)
            }
          }
        }))
  }

  /// Somebody is who they should be: their messages flow over this connection.
  ///
  /// The one who was found keeps the other first. The one who connects keeps it when it hears the first
  /// word, and until then comes back in the way that it came: so neither takes itself for known when the
  /// other does not know it.
  private func verify(_ peer: PeerID, _ conversing: Conversing) {
    conversing.greetingEnd = nil
    conversing.peer = peer
    do {
      if !conversing.isCentral {
        shared.withLock { $0.strangers.giveBack(conversing.number) }
        try keep(KnownPeer(id: peer, device: nil), by: conversing.invitation)
      }
      seat(conversing, at: try desk(of: peer))
    } catch {
      conversing.channel.close(.leaving)
    }
    pump(conversing)
  }

  private func keep(_ known: KnownPeer, by invitation: Invitation?) throws {
    let present = try store.peers().first { $0.id == known.id }
    // A peer that connects to this device may be one to which this device connects as well.
    let known = KnownPeer(id: known.id, device: known.device ?? present?.device)
    if known != present { try store.keep(known) }
    shared.withLock { _ = $0.known.insert(known.id) }
    let node = try desk(of: known.id).isConnected
    verified.send(
      VerifiedPeer(
        id: known.id, invitation: invitation, own: terms.id, isConnectedNode: node, run: later))
  }

  /// Lets messages flow over a connection, unless another one is to be preferred. Of two that were
  /// made from different sides, the one that the lower key made is preferred.
  private func seat(_ conversing: Conversing, at desk: PeerDesk) {
    if let present = desk.conversing, present !== conversing {
      let isOwnLower = terms.id < desk.correspondence.peer
      if present.isCentral != conversing.isCentral, present.isCentral == isOwnLower {
        desk.standby.append(conversing)
        return
      }
      desk.conversing = nil
      if present.channel.isOpen { desk.tell(.closed) }
      present.channel.close(.leaving)
      pump(present)
    }
    desk.conversing = conversing
    conversing.channel.attach(desk.correspondence, at: clock.timeNow)
  }

  private func opened(_ conversing: Conversing) {
    guard let peer = conversing.peer else { return }
    if conversing.isCentral {
      let known = KnownPeer(id: peer, device: conversing.device)
      guard (try? keep(known, by: conversing.invitation)) != nil else {
        conversing.channel.close(.leaving)
        return pump(conversing)
      }
      keepers[conversing.device]?.way = .known(peer)
      keepers[conversing.device]?.known = peer
    }
    desks[peer]?.isConnected.value = true
    tell(.opened, of: conversing)
  }

  /// Tells the program what happens on the passage to a peer.
  private func tell(_ event: PassageEvent, of conversing: Conversing) {
    guard let peer = conversing.peer, let desk = desks[peer], desk.conversing === conversing else {
      return
    }
    desk.tell(event)
  }

  /// Adds a listener that is told what is said on the passage to a peer.
  func add(_ listener: PassageListener, to peer: PeerID) {
    visit(peer) { desk in
      desk.listeners.append(listener)
      if desk.conversing?.channel.isOpen == true { listener.tell(.opened) }
    }
  }

  func remove(_ listener: PassageListener, from peer: PeerID) {
    // One who was unpaired meanwhile is not known any more, and may have something to tell still.
    if let desk = desks[peer] { return desk.listeners.removeAll { $0 === listener } }
    visit(peer) { desk in desk.listeners.removeAll { $0 === listener } }
  }

  /// Says something on the passage to a peer; without a connection it is gone.
  func pass(_ message: [UInt8], to peer: PeerID, isUrgent: Bool) {
    guard let conversing = desks[peer]?.conversing, conversing.channel.isOpen else { return }
    conversing.channel.passage.queue(message, isUrgent: isUrgent)
    pump(conversing)
  }

  /// Stops or resumes taking what a peer says on the passage.
  func pausePassage(of peer: PeerID, _ isPaused: Bool) {
    guard let conversing = desks[peer]?.conversing else { return }
    conversing.channel.pausePassage(isPaused)
    pump(conversing)
  }

  // MARK: Messages

  /// What is kept of a verified peer.
  func desk(of peer: PeerID) throws -> PeerDesk {
    if let desk = desks[peer] { return desk }
    let desk = PeerDesk(
      try Correspondence(with: peer, store: store, seededBugs: seededBugs),
      isConnected: shared.withLock { $0.isConnected(peer) })
    desks[peer] = desk
    return desk
  }

  /// Does something at the desk of a known peer, at once or as soon as the disk lets it be read. All of it is done
  /// in order.
  func visit(_ peer: PeerID, _ body: @escaping (PeerDesk) -> Void) {
    guard shared.withLock({ $0.known.contains(peer) }) else { return }
    visits[peer, default: []].append(body)
    admitVisits(to: peer)
  }

  private func admitVisits(to peer: PeerID) {
    guard visits[peer] != nil else { return }
    do {
      let desk = try desk(of: peer)
      visitingAgain[peer] = nil
      for body in visits.removeValue(forKey: peer) ?? [] { body(desk) }
    } catch {
      let later = later
      visitingAgain[peer] = Countdown(after: Self.againDelay, clock: clock) {
        later { board in board.admitVisits(to: peer) }
      }
    }
  }

  /// Queues a message, and says when the peer has it.
  func send(
    _ bytes: [UInt8], on lane: Lane, to peer: PeerID,
    _ resume: @escaping @Sendable (Result<Void, BluetoothError>) -> Void
  ) {
    guard bytes.count <= Correspondence.messageBytesMax else {
      let reason = "A message has at most 65,536 bytes. Send it in parts."
      return resume(.failure(BluetoothError(.tooLarge, reason)))
    }
    do {
      guard shared.withLock({ $0.known.contains(peer) }) else {
        let reason = "The peer was unpaired. Meet it again first."
        throw BluetoothError(.unpaired, reason)
      }
      let desk = try desk(of: peer)
      let key = (0..<Cipher.keyBytes).map { _ in
        UInt8(truncatingIfNeeded: random.next() >> 32)
      }
      let number = try desk.correspondence.queue(bytes, on: lane, key: key)
      desk.wait(for: number, on: lane, resume)
      if let conversing = desk.conversing { pump(conversing) }
    } catch let error as BluetoothError {
      resume(.failure(error))
    } catch {
      resume(.failure(BluetoothError(.disk, "The message could not be kept. Free some space.")))
    }
  }

  /// Gives the program what has arrived.
  func give(_ desk: PeerDesk) {
    guard let handler = desk.handler else { return }
    let (peer, later) = (desk.correspondence.peer, later)
    for lane in Lane.allCases {
      guard let message = desk.correspondence.give(on: lane) else { continue }
      if seededBugs.acknowledgedBeforeDelivery { taken(message.number, lane, peer) }
      handler(
        Message(lane: lane, number: message.number, bytes: message.text) {
          later { board in board.taken(message.number, lane, peer) }
        })
    }
  }

  private func taken(_ number: UInt64, _ lane: Lane, _ peer: PeerID) {
    guard let desk = desks[peer] else { return }
    do {
      guard try desk.correspondence.take(number, on: lane) else { return }
    } catch {
      // The disk failed: its sender goes on waiting, and a start before the next try gives it again.
      let later = later
      desk.takingAgain[lane] = Countdown(after: Self.againDelay, clock: clock) {
        later { board in board.taken(number, lane, peer) }
      }
      return
    }
    desk.takingAgain[lane] = nil
    if let conversing = desk.conversing {
      conversing.channel.acknowledge(number, on: lane, at: clock.timeNow)
      pump(conversing)
    }
    give(desk)
  }

  // MARK: Ending

  /// Forgets a peer.
  func unpair(_ peer: PeerID) {
    try? store.forget(peer)
    for keeper in keepers.values {
      guard keeper.known == peer else { continue }
      (keeper.way, keeper.known) = (.code, nil)
      keeper.machine.offer(.leave)
    }
    (visits[peer], visitingAgain[peer]) = (nil, nil)
    guard let desk = desks.removeValue(forKey: peer) else { return }
    for conversing in [desk.conversing].compactMap({ $0 }) + desk.standby {
      conversing.channel.close(.leaving)
      pump(conversing)
    }
    desk.isConnected.value = false
    desk.tell(.closed)
    desk.fail(BluetoothError(.unpaired, "The peer was unpaired. Meet it again first."))
  }

  /// A guest is gone.
  func leave(_ device: DeviceID) {
    if let guest = guests.removeValue(forKey: device) { drop(guest) }
  }

  /// A connection is gone: nothing more is said on it.
  func drop(_ conversing: Conversing) {
    conversing.channel.close(.leaving)
    for event in conversing.channel.takeEvents() {
      if case .ended = event { unseat(conversing) }
    }
    unseat(conversing)
  }

  private func unseat(_ conversing: Conversing) {
    conversing.stop()
    conversings[conversing.number] = nil
    guard let peer = conversing.peer, let desk = desks[peer] else { return }
    desk.standby.removeAll { $0 === conversing }
    guard desk.conversing === conversing else { return }
    desk.conversing = nil
    desk.tell(.closed)
    desk.isConnected.value = false
    guard !desk.standby.isEmpty else { return }
    let next = desk.standby.removeFirst()
    desk.conversing = next
    next.channel.attach(desk.correspondence, at: clock.timeNow)
    pump(next)
  }

  private func ended(_ conversing: Conversing, _ end: ChannelEnd) {
    if !conversing.isCentral {
      if guests[conversing.device] === conversing { guests[conversing.device] = nil }
      return unseat(conversing)
    }
    unseat(conversing)
    guard let keeper = keepers[conversing.device], keeper.conversing === conversing else { return }
    keeper.conversing = nil
    var isKnown = false
    if case .known = keeper.way { isKnown = true }
    switch end {
    case .asked: keeper.machine.offer(.failed)
    case .closed(.stranger) where goesOnAsKnown(keeper),
      .refused(.stranger) where goesOnAsKnown(keeper), .closed(.busy) where goesOnAsKnown(keeper):
      keeper.machine.offer(.failed)
    case .closed(.stranger), .refused(.stranger):
      keeper.machine.offer(.refused(isKnown ? .keyLost : .refused))
    case .closed(.busy), .closed(.unknownSuite), .refused: keeper.machine.offer(.refused(.refused))
    case .closed, .violation, .stalled, .startsOver, .failed: keeper.machine.offer(.failed)
    }
  }
}
