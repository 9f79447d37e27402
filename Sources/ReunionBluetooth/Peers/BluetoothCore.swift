import ReunionCore
import ReunionFlow

/// The inner part of a `Bluetooth`: knows every link, connection and peer of one radio, and leads
/// what happens to whom it concerns.
///
/// *Thread*: confined to the serial queue of its `Bluetooth`.
final class BluetoothCore {
  let radio: any Radio
  let clock: any FlowClock
  let store: any PeerStore
  let terms: Greeting.Terms
  let seededBugs: SeededBugs
  var random: any RandomNumberGenerator
  let state: Variable<RadioState>
  let meetings: Emitter<UnverifiedPeer>
  let verified: Emitter<VerifiedPeer>
  let shared: Lock<Registry>
  /// Runs work of a later moment here.
  var later = WeakQueue()
  let end = ReleaseLatch()

  var links: [DeviceID: DeviceLink] = [:]
  /// The connections of devices that have found this one.
  var inbound: [DeviceID: RadioConnection] = [:]
  var connections: [Int: RadioConnection] = [:]
  var lastNumber = 0
  var peerStates: [PeerID: PeerState] = [:]
  /// What waits until the state of a peer can be read from the disk, and when that is tried again.
  var waitingWork: [PeerID: [(PeerState) -> Void]] = [:]
  var readingAgain: [PeerID: Countdown] = [:]
  var scans: [Int: (services: [BluetoothID], tell: @Sendable (Sighting?) -> Void)] = [:]
  var advertisement: Advertisement?
  private var dutyCountdown: Countdown?
  /// For a seeded bug: limits that outlive their states.
  var strayCountdowns: [Countdown] = []

  init(
    radio: any Radio, clock: any FlowClock, store: any PeerStore, terms: Greeting.Terms,
    shared: Lock<Registry>, random: any RandomNumberGenerator, seededBugs: SeededBugs,
    state: Variable<RadioState>, meetings: Emitter<UnverifiedPeer>, verified: Emitter<VerifiedPeer>
  ) {
    self.radio = radio
    self.clock = clock
    self.store = store
    self.terms = terms
    self.shared = shared
    self.random = random
    self.seededBugs = seededBugs
    self.state = state
    self.meetings = meetings
    self.verified = verified
  }

  /// All of it was released: whoever waits is told, and may use its folder again by then.
  deinit {
    store.close()
    let error = BluetoothError.released
    for link in links.values { link.end(error) }
    for peerState in peerStates.values {
      peerState.isConnected.value = false
      if peerState.connection != nil { peerState.tell(.closed) }
      peerState.fail(error)
    }
    for scan in scans.values { scan.tell(nil) }
    end.tell()
  }

  // MARK: What the radio says

  func take(_ event: RadioEvent) {
    switch event {
    case .state(let state): note(state)
    case .sighted(let sighting):
      for scan in scans.values where Self.concerns(sighting, scan.services) { scan.tell(sighting) }
      links[sighting.device]?.machine.offer(.sighted)
    case .connected(let device): links[device]?.machine.offer(.connected)
    case .disconnected(let device, let reason): lose(device, reason)
    case .discovered(let device, let services): discovered(device, services)
    case .subscribed(let device, let id): subscribed(device, id)
    case .value(let device, let id, let bytes): take(bytes, of: id, from: device)
    case .written(let device, let id):
      if let link = links[device] { _ = answerWrite(to: id, of: link, .success([])) }
    case .failed(let device, let id): failed(device, id)
    case .writable(let device): resume(device)
    case .listening(let device, let id):
      if id == ReunionService.outward { accept(device) }
    case .received(let device, let id, let bytes):
      if id == ReunionService.inward, let connection = inbound[device] {
        receive(bytes, connection)
      }
    case .left(let device, _): dropInbound(of: device)
    }
  }

  private static func concerns(_ sighting: Sighting, _ services: [BluetoothID]) -> Bool {
    services.isEmpty || !Set(services).isDisjoint(with: sighting.services)
  }

  private func note(_ state: RadioState) {
    self.state.value = state
    if state == .on {
      if let advertisement {
        radio.serve([ReunionService.service])
        radio.advertise(advertisement)
      }
      scanAgain()
    } else {
      for connection in inbound.values { drop(connection) }
      inbound = [:]
      for link in links.values { forgetConnection(of: link) }
    }
    for link in links.values.sorted(by: { $0.device < $1.device }) {
      link.machine.offer(.radio(isOn: state == .on))
    }
  }

  // MARK: Scanning

  /// Has the radio scan for what anybody wants.
  func scanAgain() {
    let now = clock.timeNow
    let sought = links.values.filter(\.isSeeking)
    for link in links.values { link.duty = duty(of: link, at: now) }
    let seeking = sought.filter { $0.duty?.isListening(at: now) ?? true }.map { [$0.plan.service] }
    armDuty(sought.compactMap { $0.duty?.change(after: now) }.min(), now)
    let wanted = scans.values.map(\.services) + seeking
    guard !wanted.isEmpty else { return radio.stopScan() }
    radio.scan(for: wanted.contains([]) ? [] : Array(Set(wanted.joined())).sorted())
  }

  private func duty(of link: DeviceLink, at now: Moment) -> ScanDuty? {
    guard link.isSeeking, !seededBugs.listensForever else { return nil }
    return link.duty ?? ScanDuty(start: now)
  }

  /// Looks again when the radio is to listen, or not to listen any more.
  private func armDuty(_ moment: Moment?, _ now: Moment) {
    let later = later
    dutyCountdown = moment.map { moment in
      Countdown(after: max(now.duration(to: moment), .milliseconds(1)), clock: clock) {
        later { core in if core.state.value == .on { core.scanAgain() } }
      }
    }
  }

  // MARK: Links

  func keep(_ link: DeviceLink) {
    links[link.device] = link
    link.machine.offer(.keep)
  }

  /// Keeps a device for another plan from now on. What it is subscribed to for the last one ends with the
  /// connection.
  func take(_ plan: LinkPlan, for link: DeviceLink) {
    let fresh = plan.subscriptions.filter { !link.plan.subscriptions.contains($0) }
    link.plan = plan
    switch link.machine.state.value {
    case .subscribing, .ready:
      let isIdle = link.unsubscribed.isEmpty
      link.unsubscribed += fresh
      if isIdle { subscribeNext(link) }
    // The others see the plan when they come to it.
    default: break
    }
  }

  /// Notes that a device is kept connected, so that it is at the next start; without a plan, that it is not any
  /// more. Peers are known by themselves.
  func note(_ device: DeviceID, for plan: LinkPlan?) {
    guard let link = links[device], plan == nil || link.way == nil else { return }
    do {
      try store.keep(device, for: plan)
      link.notingAgain = nil
    } catch {
      let later = later
      link.notingAgain = Countdown(after: Self.againDelay, clock: clock) {
        later { core in core.note(device, for: plan) }
      }
    }
  }

  /// How long to wait before what could not be noted is noted again.
  static let againDelay = Duration.seconds(1)

  func perform(_ effect: LinkMachine.Effect, for device: DeviceID) {
    guard let link = links[device] else { return }
    switch effect {
    case .askRadio:
      if state.value == .on { link.machine.offer(.radio(isOn: true)) }
    case .scan, .stopScan: scanAgain()
    case .connect:
      radio.connect(to: device)
      if seededBugs.countdownOutlivesState { limitForever(link) }
    case .disconnect:
      forgetConnection(of: link)
      radio.disconnect(from: device)
    case .discover: radio.discover(device)
    case .subscribe:
      link.unsubscribed = link.plan.subscriptions
      subscribeNext(link)
    case .greet: greet(link)
    case .forget: radio.forget(device)
    }
  }

  /// The seeded bug: the limit of connecting goes on when the device is connected.
  private func limitForever(_ link: DeviceLink) {
    let (device, later) = (link.device, later)
    strayCountdowns.append(
      Countdown(after: LinkMachine.stepLimit, clock: clock) {
        later { core in core.links[device]?.machine.offer(.failed) }
      })
  }

  private func discovered(_ device: DeviceID, _ services: [RadioService]) {
    guard let link = links[device] else { return }
    let there = Set(services.flatMap(\.characteristics).map(\.id))
    link.machine.offer(there.isSuperset(of: link.plan.subscriptions) ? .discovered : .failed)
  }

  private func subscribeNext(_ link: DeviceLink) {
    guard let next = link.unsubscribed.first else {
      if case .subscribing = link.machine.state.value { link.machine.offer(.subscribed) }
      return
    }
    radio.subscribe(to: next, of: link.device)
  }

  private func subscribed(_ device: DeviceID, _ id: BluetoothID) {
    guard let link = links[device], link.unsubscribed.first == id else { return }
    link.unsubscribed.removeFirst()
    subscribeNext(link)
  }

  private func take(_ bytes: [UInt8], of id: BluetoothID, from device: DeviceID) {
    guard let link = links[device] else { return }
    if id == ReunionService.outward, link.way != nil {
      if let connection = link.connection { receive(bytes, connection) }
    } else if !link.answer(id, .success(bytes)) {
      link.observables.values.send(LinkValue(characteristic: id, bytes: bytes))
    }
  }

  private func failed(_ device: DeviceID, _ id: BluetoothID?) {
    guard let link = links[device] else { return }
    let error = BluetoothError(.refused, "The device refused it. See what it allows.")
    if let id,
      link.answer(id, .failure(error)) || answerWrite(to: id, of: link, .failure(error))
    {
      return
    }
    link.machine.offer(.failed)
  }

  private func lose(_ device: DeviceID, _ reason: DisconnectReason) {
    guard let link = links[device] else { return }
    forgetConnection(of: link)
    link.machine.offer(.lost(reason))
  }

  func forgetConnection(of link: DeviceLink) {
    if let connection = link.connection { drop(connection) }
    link.end()
  }

  private func resume(_ device: DeviceID) {
    if let link = links[device] { sendUnsent(link) }
    if let connection = links[device]?.connection { pump(connection) }
    if let connection = inbound[device] { pump(connection) }
  }

  func sendUnsent(_ link: DeviceLink) {
    while let (id, value) = link.unsent.first,
      radio.writeWithoutResponse(value, to: id, of: link.device)
    {
      link.unsent.removeFirst()
    }
  }
}
