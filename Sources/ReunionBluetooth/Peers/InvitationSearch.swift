import ReunionCore
public import ReunionFlow

extension Bluetooth {
  /// Looks for the device whose program has opened an invitation, and gets to know it: among those
  /// that are around, and those that are known. All are asked, and one lets this device in; nobody
  /// else is the result.
  ///
  /// ```swift
  /// func join(by text: String, over bluetooth: Bluetooth) async throws -> VerifiedPeer? {
  ///   guard let invitation = Invitation(text) else { return nil }   // no code of this library
  ///   return try await bluetooth.meet(by: invitation, limit: .seconds(30))
  /// }
  /// ```
  ///
  /// The other program must advertise, or be a known peer. The devices that were asked in vain are
  /// let go at the end, and known peers go on as such. Scanning takes power until then.
  ///
  /// *Durability*: the peer is known from then on, at later starts too.
  ///
  /// - Throws: `BluetoothError` with `notFound` if nobody does within the limit, which is so too
  ///   where the radio was off. A cancelled task throws it at once.
  public func meet(by invitation: Invitation, limit: Duration) async throws -> VerifiedPeer {
    let (stream, yield) = AsyncStream.makeStream(of: VerifiedPeer?.self)
    let search = meet(by: invitation, limit: limit) { yield.yield($0) }
    var found = stream.makeAsyncIterator()
    let peer = await found.next() ?? nil
    search.cancel()
    guard let peer else {
      throw BluetoothError(
        .notFound,
        "The device with that code was not found. Bring it near, and leave its program running.")
    }
    return peer
  }

  /// The same with a closure, which is called once, with nil if nobody was found, or when the
  /// result is released.
  ///
  /// - Parameters:
  ///   - invitation: One that the other device's program has opened.
  ///   - limit: After how long nobody was found.
  ///   - found: Gets the peer, or nil.
  /// - Returns: What keeps the search going; keep it until the closure was called.
  public func meet(
    by invitation: Invitation, limit: Duration, _ found: @escaping @Sendable (VerifiedPeer?) -> Void
  ) -> SignalSubscription {
    let run = later
    let parts = Lock<[SignalSubscription]?>([])
    let end: @Sendable (VerifiedPeer?) -> Void = { peer in
      // Once: what comes later finds nothing here.
      guard let ended = parts.withLock({ $0.take() }) else { return }
      for part in ended { part.cancel() }
      run { $0.endSearch(by: invitation) }
      found(peer)
    }
    let asked = Lock<Set<DeviceID>>([])
    let isAnybodyMeant = seededBugs.anybodyIsInvited
    let verified = verified.observe {
      if $0.invitation == invitation || isAnybodyMeant { end($0) }
    }
    run { core in
      for link in core.links.values where link.known != nil {
        asked.withLock { _ = $0.insert(link.device) }
        core.greet(link, anew: .invitation(invitation))
      }
    }
    let scan = scan(for: [ReunionService.id], limit: limit) { [weak self] sighting in
      guard let sighting else { return end(nil) }
      guard asked.withLock({ $0.insert(sighting.device).inserted }) else { return }
      _ = self?.meet(sighting.device, by: invitation)
    }
    parts.withLock { $0?.append(contentsOf: [verified, scan]) }
    return SignalSubscription { end(nil) }
  }
}

extension BluetoothCore {
  /// Changes how this side wants to be known to a device. If it has greeted the device in another
  /// way, it greets it again.
  func greet(_ link: DeviceLink, anew way: Greeting.Way) {
    // A known peer needs no code to compare, and nobody is met twice by one invitation.
    if way == .code, link.known != nil { return }
    if case .invitation(let invitation) = way, let connection = link.connection,
      connection.invitation == invitation
    {
      return
    }
    guard link.way != way else { return }
    link.way = way
    switch link.machine.state.value {
    case .greeting, .ready: link.machine.offer(.failed)
    // It need not wait any longer.
    case .suspended, .barred: link.machine.offer(.timeout)
    default: break
    }
  }

  /// Makes this side greet a known device as such; false if it already does, or knows no such peer.
  func goesOnAsKnown(_ link: DeviceLink) -> Bool {
    guard let known = link.known, link.way != .known(known) else { return false }
    link.way = .known(known)
    return true
  }

  /// Nobody is looked for any more: who is known stays so, and the others are let go.
  func endSearch(by invitation: Invitation) {
    for link in links.values where link.way == .invitation(invitation) {
      if !goesOnAsKnown(link) { link.machine.offer(.leave) }
    }
  }
}
