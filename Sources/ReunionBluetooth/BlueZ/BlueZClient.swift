#if os(Linux)
  import Dispatch
  import Foundation
  import ReunionCore
  import ReunionDesktop
  import ReunionFlow

  /// What a radio of BlueZ knows and does: who is connected, what was asked for, what the bus says.
  ///
  /// Unchecked: confined to its serial queue, but for `shared`.
  final class BlueZClient: @unchecked Sendable {
    let queue = DispatchQueue(label: "reunion.bluez")
    let shared = BlueZShared()
    let clock: any FlowClock
    private let seededBugs: SeededBugs
    private let place: Bus.Place
    private let adapterName: String?
    private let adapterFolder: String
    private(set) var bus: Bus?
    private var registrations: [BusRegistration] = []
    private var deliver: (@Sendable (RadioEvent) -> Void)?
    private(set) var tree = BlueZTree()
    /// The unique name of the running service.
    private(set) var owner: String?
    private var isLoaded = false
    private var openings = 0
    private var reopening: Countdown?
    private(set) var state = RadioState.unknown
    private(set) var adapter: String?

    var devices: [String: BlueZDevice] = [:]
    var subscribers: [String: BlueZSubscriber] = [:]
    var wantedServices: [BluetoothID]?
    /// Attempts to connect that have begun just now.
    var youngAttempts: [String: Countdown] = [:]
    /// The objects of this process: their numbers never come twice.
    var lastObject = 0
    var application: (path: String, services: [RadioService], export: BusRegistration)?
    var advertised: (path: String, export: BusRegistration)?
    private(set) lazy var scanning = reconciler(
      add: BlueZClient.startScan, remove: BlueZClient.endScan)
    private(set) lazy var serving = reconciler(
      add: BlueZClient.register, remove: BlueZClient.unregister)
    private(set) lazy var advertising = reconciler(
      add: BlueZClient.announce, remove: BlueZClient.renounce)

    init(
      place: Bus.Place, adapter: String?, adapterFolder: String, clock: any FlowClock,
      seededBugs: SeededBugs
    ) {
      self.seededBugs = seededBugs
      self.place = place
      adapterName = adapter
      self.adapterFolder = adapterFolder
      self.clock = clock
    }

    func run(_ work: @escaping @Sendable (BlueZClient) -> Void) {
      queue.async { [weak self] in if let self { work(self) } }
    }

    func later(_ time: Duration, _ work: @escaping @Sendable () -> Void) -> Countdown {
      Countdown(after: time, clock: clock) { [queue] in queue.async(execute: work) }
    }

    private func reconciler<Thing: Equatable & Sendable>(
      add: @escaping (BlueZClient) -> (Thing, @escaping Reconciler<Thing>.Done) -> Void,
      remove: @escaping (BlueZClient) -> (@escaping Reconciler<Thing>.Done) -> Void
    ) -> Reconciler<Thing> {
      Reconciler(
        later: { [unowned self] in later($0, $1) },
        add: { [unowned self] in add(self)($0, $1) }, remove: { [unowned self] in remove(self)($0) }
      )
    }

    func tell(_ event: RadioEvent) { deliver?(event) }

    // MARK: The bus

    func start(_ deliver: @escaping @Sendable (RadioEvent) -> Void) {
      self.deliver = deliver
      open()
    }

    private func open() {
      reopening = nil
      do throws(BusError) {
        let bus = try Bus(place, queue: queue) { [weak self] in self?.loseBus() }
        self.bus = bus
        listen(on: bus)
      } catch {
        bus = nil
        note(error.name == BusError.accessDenied ? .unauthorized : absence)
        openLater()
      }
    }

    private func openLater() {
      reopening = later(.seconds(1 << min(openings, 5))) { [weak self] in self?.open() }
      openings += 1
    }

    private func loseBus() {
      registrations = []
      bus = nil
      loseService()
      openLater()
    }

    private func listen(on bus: Bus) {
      let from = BlueZNames.service
      func signals(_ match: BusMatch, _ take: @escaping @Sendable (BlueZClient, BusSignal) -> Void)
      {
        registrations.append(
          bus.signals(match) { [weak self] signal in if let self { take(self, signal) } })
      }
      signals(
        BusMatch(sender: "org.freedesktop.DBus", member: "NameOwnerChanged", firstArgument: from)
      ) { client, signal in
        let name = signal.arguments.last?.asText ?? ""
        if name.isEmpty { client.loseService() } else { client.greet(name) }
      }
      signals(BusMatch(sender: from, interface: BlueZNames.objects)) { $0.takeObjects($1) }
      signals(BusMatch(sender: from, interface: BlueZNames.properties)) { $0.takeProperties($1) }
      signals(BusMatch(sender: from, interface: BlueZNames.device, member: "Disconnected")) {
        client, signal in
        guard client.isOurs(signal), let name = signal.arguments.first?.asText else { return }
        client.devices[signal.path, default: BlueZDevice()].reason = BlueZReason.ofSignal(name)
      }
      bus.call(.ofBus("GetNameOwner", [.string(from)])) { [weak self] result in
        self?.openings = 0
        switch result {
        case .success(let values): self?.greet(values.first?.asText ?? "")
        case .failure(let error) where error.name == BusError.disconnected: break
        case .failure: self?.loseService()
        }
      }
    }

    // MARK: The service

    private func greet(_ name: String) {
      if let owner, owner != name { loseService() }
      guard owner != name else { return }
      owner = name
      call("/", BlueZNames.objects, "GetManagedObjects") { client, result in
        switch result {
        case .success(let values):
          client.tree = BlueZTree(values.first)
          client.isLoaded = true
          client.judge()
        case .failure(let error):
          client.owner = nil
          client.note(error.name == BusError.accessDenied ? .unauthorized : .serviceLost)
        }
      }
    }

    private func loseService() {
      owner = nil
      isLoaded = false
      tree = BlueZTree()
      adapter = nil
      note(absence)
    }

    /// Why there is no service: without an adapter systemd does not start it at all.
    private var absence: RadioState {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: adapterFolder)) ?? []
      let isThere = adapterName.map(names.contains) ?? !names.isEmpty
      return isThere ? .serviceLost : .unsupported
    }

    /// Calls a method of the running service; what it says after its end nobody hears.
    func call(
      _ path: String, _ interface: String, _ method: String, _ arguments: [BusValue] = [],
      limit: Duration? = .seconds(25),
      _ take: @escaping @Sendable (BlueZClient, Result<[BusValue], BusError>) -> Void = { _, _ in }
    ) {
      guard let owner, let bus else { return }
      bus.call(BusCall(owner, path, interface, method, arguments, limit: limit)) {
        [weak self] result in
        guard let self, self.owner == owner else { return }
        take(self, result)
      }
    }

    private func isOurs(_ signal: BusSignal) -> Bool { isLoaded && signal.sender == owner }

    private func takeObjects(_ signal: BusSignal) {
      guard isOurs(signal), signal.arguments.count == 2, let path = signal.arguments[0].asText
      else { return }
      if signal.member == "InterfacesAdded" {
        tree.add(path, signal.arguments[1])
        sight(path)
      } else if signal.member == "InterfacesRemoved" {
        let interfaces = signal.arguments[1].asTexts ?? []
        tree.remove(path, interfaces)
        if interfaces.contains(BlueZNames.device) { connection(of: path, is: false) }
        if interfaces.contains(BlueZNames.characteristic) { lost(path) }
      }
      judge()
    }

    private func takeProperties(_ signal: BusSignal) {
      guard isOurs(signal), signal.arguments.count == 3, let interface = signal.arguments[0].asText,
        let changed = signal.arguments[1].asProperties
      else { return }
      tree.change(signal.path, interface, changed, gone: signal.arguments[2].asTexts ?? [])
      switch interface {
      case BlueZNames.adapter: judge()
      case BlueZNames.device:
        if let isConnected = changed["Connected"]?.asBool {
          connection(of: signal.path, is: isConnected)
        }
        if changed["ServicesResolved"]?.asBool == true { resolved(signal.path) }
        let heard = ["RSSI", "ManufacturerData", "ServiceData", "UUIDs", "Name"]
        if heard.contains(where: { changed[$0] != nil }) { sight(signal.path) }
      case BlueZNames.characteristic:
        if let bytes = changed["Value"]?.asBytes { heard(bytes, at: signal.path) }
      default: break
      }
    }

    // MARK: The state

    /// What the adapters say of the radio.
    private func judge() {
      guard isLoaded else { return }
      if let adapter, tree.properties(adapter, BlueZNames.adapter) == nil { self.adapter = nil }
      if adapter == nil || state != .on { adapter = tree.adapter(named: adapterName) }
      guard let adapter else { return note(.unsupported) }
      note(tree.isOn(adapter) ? .on : .off)
    }

    private func note(_ state: RadioState) {
      guard state != self.state else { return }
      if self.state == .on { clear() }
      self.state = state
      tell(.state(state))
    }

    /// Nothing is connected or asked for any more; what the service may still have is taken back.
    private func clear() {
      devices = [:]
      subscribers = [:]
      shared.clear()
      wantedServices = nil
      youngAttempts = [:]
      scanning.forget()
      if !seededBugs.servesAsBefore { serving.forget() }
      advertising.forget()
      if application != nil { unregister { _ in } }
      if advertised != nil { renounce { _ in } }
    }
  }
#endif
