import ReunionCore
import ReunionFlow

/// Knows every link, guest and peer of one radio, and leads what happens to whom it concerns.
///
/// *Thread*: confined to the strand of its `Bluetooth`.
final class Switchboard {
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
  var later = Later()
  let end = Ending()

  var keepers: [DeviceID: Keeper] = [:]
  /// The devices that have found this one.
  var guests: [DeviceID: Conversing] = [:]
  var conversings: [Int: Conversing] = [:]
  var lastNumber = 0
  var desks: [PeerID: PeerDesk] = [:]
  /// What waits until a desk can be read from the disk, and when that is tried again.
  var visits: [PeerID: [(PeerDesk) -> Void]] = [:]
  var visitingAgain: [PeerID: Countdown] = [:]
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
    for keeper in keepers.values { keeper.end(error) }
    for desk in desks.values {
      desk.isConnected.value = false
      if desk.conversing != nil { desk.tell(.closed) }
      desk.fail(error)
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
      keepers[sighting.device]?.machine.offer(.sighted)
    case .connected(let device): keepers[device]?.machine.offer(.connected)
    case .disconnected(let device, let reason): lose(device, reason)
    case .discovered(let device, let services): discovered(device, services)
    case .subscribed(let device, let id): subscribed(device, id)
    case .value(let device, let id, let bytes): take(bytes, of: id, from: device)
    case .written(let device, let id):
      if let keeper = keepers[device] { _ = answerWrite(to: id, of: keeper, .success([])) }
    case .failed(let device, let id): failed(device, id)
    case .writable(let device): resume(device)
    case .listening(let device, let id):
      if id == ReunionService.outward { welcome(device) }
    case .received(let device, let id, let bytes):
      if id == ReunionService.inward, let guest = guests[device] { receive(bytes, guest) }
    case .left(let device, _): leave(device)
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
      for guest in guests.values { drop(guest) }
      guests = [:]
      for keeper in keepers.values { forgetConnection(of: keeper) }
    }
    for keeper in keepers.values.sorted(by: { $0.device < $1.device }) {
      keeper.machine.offer(.radio(isOn: state == .on))
    }
  }

  // MARK: Scanning

  /// Has the radio scan for what anybody wants.
  func scanAgain() {
    let now = clock.timeNow
    let sought = keepers.values.filter(\.isSeeking)
    for keeper in keepers.values { keeper.duty = duty(of: keeper, at: now) }
    let seeking = sought.filter { $0.duty?.isListening(at: now) ?? true }.map { [$0.plan.service] }
    armDuty(sought.compactMap { $0.duty?.change(after: now) }.min(), now)
    let wanted = scans.values.map(\.services) + seeking
    guard !wanted.isEmpty else { return radio.stopScan() }
    radio.scan(for: wanted.contains([]) ? [] : Array(Set(wanted.joined())).sorted())
  }

  private func duty(of keeper: Keeper, at now: Moment) -> ScanDuty? {
    guard keeper.isSeeking, !seededBugs.listensForever else { return nil }
    return keeper.duty ?? ScanDuty(start: now)
  }

  /// Looks again when the radio is to listen, or not to listen any more.
  private func armDuty(_ moment: Moment?, _ now: Moment) {
    let later = later
    dutyCountdown = moment.map { moment in
      Countdown(after: max(now.duration(to: moment), .milliseconds(1)), clock: clock) {
        later { board in if board.state.value == .on { board.scanAgain() } }
      }
    }
  }

  // MARK: Links

  func keep(_ keeper: Keeper) {
    keepers[keeper.device] = keeper
    keeper.machine.offer(.keep)
  }

  /// Keeps a device for another plan from now on. What it is subscribed to for the last one ends with the
  /// connection.
  func take(_ plan: LinkPlan, for keeper: Keeper) {
    let fresh = plan.subscriptions.filter { !keeper.plan.subscriptions.contains($0) }
    keeper.plan = plan
    switch keeper.machine.state.value {
    case .subscribing, .ready:
      let isIdle = keeper.unsubscribed.isEmpty
      keeper.unsubscribed += fresh
      if isIdle { subscribeNext(keeper) }
    // The others see the plan when they come to it.
    default: break
    }
  }

  /// Notes that a device is kept connected, so that it is at the next start; without a plan, that it is not any
  /// more. Peers are known by themselves.
  func note(_ device: DeviceID, for plan: LinkPlan?) {
    guard let keeper = keepers[device], plan == nil || keeper.way == nil else { return }
    do {
      try store.keep(device, for: plan)
      keeper.notingAgain = nil
    } catch {
      let later = later
      keeper.notingAgain = Countdown(after: Self.againDelay, clock: clock) {
        later { board in board.note(device, for: plan) }
      }
    }
  }

  /// How long to wait before what could not be noted is noted again.
  static let againDelay = Duration.seconds(1)

  func perform(_ effect: LinkMachine.Effect, for device: DeviceID) {
    guard let keeper = keepers[device] else { return }
    switch effect {
    case .askRadio:
      if state.value == .on { keeper.machine.offer(.radio(isOn: true)) }
    case .scan, .stopScan: scanAgain()
    case .connect:
      radio.connect(to: device)
      if seededBugs.countdownOutlivesState { limitForever(keeper) }
    case .disconnect:
      forgetConnection(of: keeper)
      radio.disconnect(from: device)
    case .discover: radio.discover(device)
    case .subscribe:
      keeper.unsubscribed = keeper.plan.subscriptions
      subscribeNext(keeper)
    case .greet: greet(keeper)
    case .forget: radio.forget(device)
    }
  }

  /// The seeded bug: the limit of connecting goes on when the device is connected.
  private func limitForever(_ keeper: Keeper) {
    let (device, later) = (keeper.device, later)
    strayCountdowns.append(
      Countdown(after: LinkMachine.stepLimit, clock: clock) {
        later { board in board.keepers[device]?.machine.offer(.failed) }
      })
  }

  private func discovered(_ device: DeviceID, _ services: [RadioService]) {
    guard let keeper = keepers[device] else { return }
    let there = Set(services.flatMap(\.characteristics).map(\.id))
    keeper.machine.offer(there.isSuperset(of: keeper.plan.subscriptions) ? .discovered : .failed)
  }

  private func subscribeNext(_ keeper: Keeper) {
    guard let next = keeper.unsubscribed.first else {
      if case .subscribing = keeper.machine.state.value { keeper.machine.offer(.subscribed) }
      return
    }
    radio.subscribe(to: next, of: keeper.device)
  }

  private func subscribed(_ device: DeviceID, _ id: BluetoothID) {
    guard let keeper = keepers[device], keeper.unsubscribed.first == id else { return }
    keeper.unsubscribed.removeFirst()
    subscribeNext(keeper)
  }

  private func take(_ bytes: [UInt8], of id: BluetoothID, from device: DeviceID) {
    guard let keeper = keepers[device] else { return }
    if id == ReunionService.outward, keeper.way != nil {
      if let conversing = keeper.conversing { receive(bytes, conversing) }
    } else if !keeper.answer(id, .success(bytes)) {
      keeper.outside.values.send(LinkValue(characteristic: id, bytes: bytes))
    }
  }

  private func failed(_ device: DeviceID, _ id: BluetoothID?) {
    guard let keeper = keepers[device] else { return }
    let error = BluetoothError(.refused, "The device refused it. See what it allows.")
    if let id,
      keeper.answer(id, .failure(error)) || answerWrite(to: id, of: keeper, .failure(error))
    {
      return
    }
    keeper.machine.offer(.failed)
  }

  private func lose(_ device: DeviceID, _ reason: DisconnectReason) {
    guard let keeper = keepers[device] else { return }
    forgetConnection(of: keeper)
    keeper.machine.offer(.lost(reason))
  }

  func forgetConnection(of keeper: Keeper) {
    if let conversing = keeper.conversing { drop(conversing) }
    keeper.end()
  }

  private func resume(_ device: DeviceID) {
    if let keeper = keepers[device] { sendUnsent(keeper) }
    if let conversing = keepers[device]?.conversing { pump(conversing) }
    if let guest = guests[device] { pump(guest) }
  }

  func sendUnsent(_ keeper: Keeper) {
    while let (id, value) = keeper.unsent.first,
      radio.writeWithoutResponse(value, to: id, of: keeper.device)
    {
      keeper.unsent.removeFirst()
    }
  }
}
