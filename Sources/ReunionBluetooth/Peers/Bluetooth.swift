import ReunionCore
public import ReunionFlow

/// Bluetooth LE for an app: finds devices, keeps them connected, and exchanges messages with peers.
///
/// ```swift
/// let heartRate = BluetoothID(assigned: 0x180D)
/// let bluetooth = try Bluetooth(radio: BlueZRadio(), folder: "app-data/bluetooth")
/// for await sighting in bluetooth.scan(for: [heartRate], limit: .seconds(10)) {
///   print(sighting.name ?? "no name", sighting.signalStrength, "dBm")
///   _ = bluetooth.keepConnected(sighting.device, for: LinkPlan(service: heartRate))
/// }
/// ```
///
/// An app makes one for a radio at its start, and keeps it. No call waits for the radio to be
/// switched on: what was wanted is done as soon as `state` is `on`.
///
/// *Thread*: any. Closures and observers are called on the thread of the radio's events, of the
/// clock, or of a call. All other work waits until they return, so they do nothing that takes long.
/// *Lifetime*: while it lives, known peers are connected whenever they can be. When it is released,
/// those who wait for something hear so (`closed`), and may open its folder again; messages that
/// are not settled are kept.
public final class Bluetooth: Sendable {
  private let queue: SerialQueue<BluetoothCore>
  private let clock: any FlowClock
  private let shared: Lock<Registry>
  private let stateNode = Variable(RadioState.unknown)
  private let meetingsEmitter = Emitter<UnverifiedPeer>()
  private let verifiedEmitter = Emitter<VerifiedPeer>()
  private let scanCount = Lock(0)
  let seededBugs: SeededBugs
  /// The identity by which peers know this device. It is made with the folder, and stays as long as
  /// that does.
  public let id: PeerID

  /// Uses a radio, and keeps this device's key, its known peers and unsettled messages in a folder,
  /// which is for its owner alone, and for one `Bluetooth` at a time. Known peers are connected
  /// from now on.
  ///
  /// Its files have the rights 0600. Whoever reads its key can be this device to its peers: a copy
  /// of the folder does not belong on another device.
  ///
  /// - Parameters:
  ///   - radio: It is started here, and tells its events to nobody else.
  ///   - folder: It is made where it is missing, with the folders above it.
  ///   - clock: The clock of all limits; with a `SimulatedMedium` the one of that.
  /// - Throws: `BluetoothError`: `inUse` while another `Bluetooth` has the folder, of this process
  ///   or another. It is `disk` where a file cannot be made or read, or is damaged: the sentence
  ///   says which to remove.
  public convenience init(
    radio: any Radio, folder: String, clock: any FlowClock = SystemClock.shared
  ) throws {
    try self.init(radio: radio, store: FilePeerStore(folder), clock: clock)
  }

  init(
    radio: any Radio, store: any PeerStore, clock: any FlowClock,
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    extra: [UInt8] = [], seededBugs: SeededBugs = SeededBugs()
  ) throws {
    var random = random
    let fresh = (0..<32).map { _ in UInt8(truncatingIfNeeded: random.next() >> 32) }
    let key: KeyPair
    let known: [KnownPeer]
    let devices: [DeviceID: LinkPlan]
    do {
      key = try KeyPair(secretKey: try store.secretKey(orKeep: fresh))
      known = seededBugs.peerForgottenAtLaunch ? [] : try store.peers()
      devices = try store.devices()
    } catch let error as BluetoothError {
      throw error
    } catch {
      throw BluetoothError(.disk, "The key of this device is damaged. Remove its file.")
    }
    guard let id = PeerID(bytes: key.publicKey) else {
      throw BluetoothError(.disk, "The key of this device is damaged. Remove its file.")
    }
    self.id = id
    self.clock = clock
    self.seededBugs = seededBugs
    let shared = Lock(Registry(known: known))
    self.shared = shared
    let terms = Greeting.Terms(
      key: key, isKnown: { peer in shared.withLock { $0.known.contains(peer) } },
      invitations: { shared.withLock { $0.invitations } },
      admitsStrangers: { shared.withLock { $0.admitsStrangers } }, extra: extra)
    let core = BluetoothCore(
      radio: radio, clock: clock, store: store, terms: terms, shared: shared, random: random,
      seededBugs: seededBugs, state: stateNode, meetings: meetingsEmitter,
      verified: verifiedEmitter)
    let end = core.end
    let queue = SerialQueue(core)
    self.queue = queue
    let run = WeakQueue(queue, end)
    later = run
    queue.run { $0.later = run }
    for peer in known {
      if let device = peer.device {
        _ = keep(device, ReunionService.plan, .known(peer.id))
      }
    }
    for (device, plan) in devices { _ = keep(device, plan, nil) }
    radio.start { event in run { $0.take(event) } }
  }

  /// Runs work here, unless this is gone.
  let later: WeakQueue

  /// What the radio waits for before it can be used: `unknown` until it has said so, and then each
  /// change. A person sees its `remedy`.
  public var state: Signal<RadioState> { stateNode.signal.distinct() }

  // MARK: Any device

  /// Listens for devices that advertise one of these services, or for all, for a limited time:
  /// scanning takes power. The stream ends then, or when its reader goes.
  ///
  /// A device comes again and again while it is heard, each time with its present signal. Several
  /// scans may go on at once; each gives what it was made for. The time begins with the call: where
  /// the radio stays off, the scan ends without a sighting.
  ///
  /// - Parameters:
  ///   - services: What devices must advertise, at least one of them; empty for all devices.
  ///   - limit: After how long it ends.
  /// - Returns: A stream for one reader. Of a slow one the newest 256 sightings wait, and older
  ///   ones are lost.
  public func scan(for services: [BluetoothID], limit: Duration) -> AsyncStream<Sighting> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Sighting.self, bufferingPolicy: .bufferingNewest(256))
    let scan = scan(for: services, limit: limit) { sighting in
      if let sighting { continuation.yield(sighting) } else { continuation.finish() }
    }
    continuation.onTermination = { _ in scan.cancel() }
    return stream
  }

  /// The same with a closure, which is called with nil at the end. It ends too when the result is
  /// released.
  ///
  /// - Parameters:
  ///   - services: What devices must advertise, at least one of them; empty for all devices.
  ///   - limit: After how long it ends.
  ///   - tell: Gets each sighting, and nil once, as the last.
  /// - Returns: What keeps it going; cancel or release it to end it earlier.
  public func scan(
    for services: [BluetoothID], limit: Duration, _ tell: @escaping @Sendable (Sighting?) -> Void
  ) -> SignalSubscription {
    let number = scanCount.withLock { count in
      count += 1
      return count
    }
    let run = later
    let end: @Sendable () -> Void = {
      run { core in
        guard core.scans.removeValue(forKey: number) != nil else { return }
        core.scanAgain()
        tell(nil)
      }
    }
    let countdown = Countdown(after: limit, clock: clock, end)
    run { core in
      core.scans[number] = (services, tell)
      if core.state.value == .on { core.scanAgain() }
    }
    return SignalSubscription {
      countdown.cancel()
      end()
    }
  }

  /// Keeps a device connected from now on, and whenever it can be reached; the last plan for it
  /// counts.
  ///
  /// It returns at once; the link's `state` tells how far it is. To release the link ends nothing:
  /// `close()` does. Of a device that is a peer, or that `meet(_:by:)` was called for, the plan is
  /// not used: the link is the one of that.
  ///
  /// *Durability*: until the link is closed, this is so at each later start too (`keptLinks`).
  /// Where the disk fails, it is tried again each second, and the device is kept connected
  /// meanwhile.
  public func keepConnected(_ device: DeviceID, for plan: LinkPlan) -> KeptLink {
    let link = keep(device, plan, nil)
    later { $0.note(device, for: plan) }
    return link
  }

  /// The same as long as this lives, and not at a later start.
  package func hold(_ device: DeviceID, for plan: LinkPlan) -> KeptLink { keep(device, plan, nil) }

  /// The devices that are kept connected by `keepConnected`, since this start or an earlier one, in
  /// the order of their `DeviceID`. Peers are not among them.
  public var keptLinks: [KeptLink] {
    let kept = shared.withLock { $0.links }.filter { $0.value.isKeptDevice }
    return kept.sorted { $0.key < $1.key }.map { device, observables in
      KeptLink(device: device, observables: observables, run: later)
    }
  }

  private func keep(_ device: DeviceID, _ plan: LinkPlan, _ way: Greeting.Way?) -> KeptLink {
    let run = later
    let observables = shared.withLock { shared in
      shared.link(device) {
        let start = LinkMachine.State.idle(LinkContext(device, hasGreeting: way != nil))
        return DeviceLink.Observables(
          machine: StateMachine(start, clock: clock) { effect, _ in
            run { $0.perform(effect, for: device) }
          })
      }
    }
    run { core in
      if let link = core.links[device] {
        if way == nil, link.way == nil { core.take(plan, for: link) }
        core.keep(link)
        if let way { core.greet(link, anew: way) }
      } else {
        core.keep(DeviceLink(device, plan: plan, way: way, observables: observables))
      }
    }
    return KeptLink(device: device, observables: observables, run: run)
  }

  // MARK: Peers

  /// Those whom nobody has vouched for, as they come: compare their codes. They come here only
  /// while `admitsStrangers`, or where this side met them without an invitation.
  ///
  /// Nothing is kept for those who observe later.
  public var meetings: Occurrences<UnverifiedPeer> { meetingsEmitter.occurrences }

  /// Peers that have proved who they are, each time that they connect. Messages may be sent to them
  /// at once; `isConnected` follows.
  ///
  /// Nothing is kept for those who observe later: known peers are found by `peer(_:)`.
  public var verified: Occurrences<VerifiedPeer> { verifiedEmitter.occurrences }

  /// Lets others find this device by Reunion's service, and known peers connect to it.
  ///
  /// Everybody around sees that a Reunion device is here, and neither a name nor a number. It goes
  /// on after the radio was off, until `stopAdvertising()`; at a later start it must be asked for
  /// again.
  public func advertise() { announce(ReunionService.advertisement) }

  /// Ends that others find this device. Those that are connected stay so.
  public func stopAdvertising() { announce(nil) }

  /// Lets others find this device by an advertisement of the app's own, in place of that before.
  ///
  /// Reunion's service is offered to those that connect, whether it is among those advertised or
  /// not. A scan for `ReunionService.id` finds the device only if it is.
  ///
  /// - Throws: `tooLarge` where its services and the manufacturer's data are more than the 28 bytes
  ///   that a radio has for them. What was told before goes on.
  public func advertise(_ advertisement: Advertisement) throws(BluetoothError) {
    let count = advertisement.firstPartByteCount - Advertisement.flagByteCount
    let most = Advertisement.firstPartBytesMax - Advertisement.flagByteCount
    guard count <= most else {
      throw BluetoothError(
        .tooLarge,
        "This advertisement takes \(count) bytes, and a radio has \(most) for it: name fewer services, or "
          + "shorten the manufacturer's data.")
    }
    announce(advertisement)
  }

  /// The same, of what is known to have room.
  package func announce(_ advertisement: Advertisement?) {
    later { core in
      core.advertisement = advertisement
      guard core.state.value == .on else { return }
      core.radio.serve(advertisement == nil ? [] : [ReunionService.service])
      core.radio.advertise(advertisement)
    }
  }

  /// Opens an invitation: whoever holds it may connect, and is verified by it, until `close(_:)`.
  ///
  /// *Durability*: it is not kept. A program that is to let people in after its next start keeps
  /// the text, and opens it again. Several may be open at once; `VerifiedPeer.invitation` tells by
  /// which a peer came.
  public func open(_ invitation: Invitation) {
    shared.withLock { shared in
      if !shared.invitations.contains(invitation) { shared.invitations.append(invitation) }
    }
  }

  /// Closes an invitation: nobody new comes in by it. Those who did are known, and stay so.
  public func close(_ invitation: Invitation) {
    shared.withLock { $0.invitations.removeAll { $0 == invitation } }
  }

  /// Whether those may connect whom nobody knows, to compare a code. It is false at first, and at
  /// each start.
  ///
  /// All strangers together have five tries a minute, and a code is good for three minutes.
  public var admitsStrangers: Bool {
    get { shared.withLock { $0.admitsStrangers } }
    set { shared.withLock { $0.admitsStrangers = newValue } }
  }

  /// Connects to a device and gets to know it, by its invitation or by a code that two people
  /// compare.
  ///
  /// It returns at once. By an invitation the peer comes to `verified`; by a code it comes to
  /// `meetings` first. A device that refuses leaves the link `barred`, and is asked again each
  /// minute until the link is closed.
  ///
  /// One that is known already is greeted anew by the invitation; if it does not hold it, it goes
  /// on as known.
  ///
  /// - Parameters:
  ///   - device: One that a scan has heard, for `ReunionService.id`.
  ///   - invitation: One that the other device has open; nil for a code, which it must admit
  ///     (`admitsStrangers`).
  /// - Returns: Its link. `LinkMachine.State.ready` says that keys are agreed, and not yet that
  ///   messages flow.
  public func meet(_ device: DeviceID, by invitation: Invitation? = nil) -> KeptLink {
    let link = keep(device, ReunionService.plan, invitation.map { .invitation($0) } ?? .code)
    // It is a peer from now on, and the next start greets it as one.
    later { $0.note(device, for: nil) }
    return link
  }

  /// A peer that was verified before, at this start or an earlier one, whether it is connected or
  /// not. It is nil for others, and for one that was unpaired. What is sent to one that is out of
  /// reach waits for it.
  public func peer(_ id: PeerID) -> VerifiedPeer? {
    guard shared.withLock({ $0.known.contains(id) }) else { return nil }
    let node = shared.withLock { $0.isConnected(id) }
    return VerifiedPeer(id: id, invitation: nil, own: self.id, isConnectedNode: node, run: later)
  }

  /// Forgets everything about a peer: its key, its messages, its connection. Each `send` that waits
  /// for it throws `unpaired`.
  ///
  /// The other device still knows this one, and is refused from now on. If it is the one that
  /// connects, its link is `barred` with `keyLost` until the two meet anew. Where the disk fails,
  /// the peer is known again at the next start.
  public func unpair(_ peer: PeerID) {
    shared.withLock { _ = $0.known.remove(peer) }
    later { $0.unpair(peer) }
  }
}

extension ReunionService {
  /// What a device of this library tells everybody around: no name, no number.
  public static let advertisement = Advertisement(services: [id])
  static let plan = LinkPlan(service: id, subscriptions: [outward])
}
