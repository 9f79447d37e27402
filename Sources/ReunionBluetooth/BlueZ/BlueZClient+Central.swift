#if os(Linux)
  import ReunionDesktop
  import ReunionFlow

  /// What a radio has to do with a device that it connects to.
  struct BlueZDevice {
    enum Phase: Equatable {
      case idle
      /// Asked for, under a number that tells late answers.
      case connecting(Int, since: Moment)
      case connected
      /// Being ended.
      case leaving
    }

    var phase = Phase.idle
    /// Whether its services are wanted as soon as they are known.
    var wantsServices = false
    var isResolved = false
    /// Where its characteristics are, of those that were used.
    var paths: [BluetoothID: String] = [:]
    /// The paths of the characteristics whose values are told.
    var subscriptions: [String: BluetoothID] = [:]
    /// The pause before an attempt is made again, while an earlier one is under way.
    var pause: Countdown?
    /// What the service has said of the end of the connection, if it says anything.
    var reason: DisconnectReason?
    /// Services that BlueZ remembers and the device has no more.
    var goneServices: Set<String> = []
    /// Whether what BlueZ remembers of the device is of no use.
    var isOutdated = false
  }

  extension BlueZClient {
    // MARK: Connecting

    func connect(_ path: String) {
      let id = DeviceID(path)
      guard state == .on, tree.device(path) != nil else {
        return tell(.disconnected(id, state == .on ? .unknownDevice : .unknown))
      }
      if case .connecting = devices[path]?.phase { return }
      devices[path] = BlueZDevice()
      if tree.isConnected(path) { return connected(path) }
      lastObject += 1
      let phase = BlueZDevice.Phase.connecting(lastObject, since: clock.now)
      devices[path]?.phase = phase
      restScan(for: path)
      attempt(path, phase)
    }

    private func attempt(_ path: String, _ phase: BlueZDevice.Phase) {
      // BlueZ itself gives up after about 40 s.
      call(path, BlueZNames.device, "Connect", limit: .seconds(90)) { client, result in
        guard client.devices[path]?.phase == phase else { return }
        client.answered(path, phase, result)
      }
    }

    private func answered(
      _ path: String, _ phase: BlueZDevice.Phase, _ result: Result<[BusValue], BusError>
    ) {
      guard case .failure(let error) = result, case .connecting(_, let start) = phase else {
        return connected(path)
      }
      if BlueZReason.isUnderWay(error) {
        // It is waited for: how long, the caller says.
        devices[path]?.pause = later(.seconds(1)) { [weak self] in
          guard let self, devices[path]?.phase == phase else { return }
          attempt(path, phase)
        }
        return
      }
      let time = start.duration(to: clock.now)
      guard let reason = BlueZReason.ofAttempt(error, after: time) else { return connected(path) }
      devices[path] = nil
      resumeScan(after: path)
      tell(.disconnected(DeviceID(path), reason))
    }

    private func connected(_ path: String) {
      devices[path]?.phase = .connected
      resumeScan(after: path)
      shared.open(path)
      noteSize(path)
      tell(.connected(DeviceID(path)))
    }

    func disconnect(_ path: String) {
      shared.close(path)
      resumeScan(after: path)
      let isOutdated = devices[path]?.isOutdated ?? false
      devices[path] = BlueZDevice(phase: .leaving, isOutdated: isOutdated)
      guard state == .on else { return left(path) }
      call(path, BlueZNames.device, "Disconnect") { client, _ in client.left(path) }
    }

    private func left(_ path: String) {
      guard let device = devices[path], device.phase == .leaving else { return }
      devices[path] = nil
      if device.isOutdated { forget(path) }
      tell(.disconnected(DeviceID(path), .asked))
    }

    /// The service says that a device is connected, or is so no longer.
    func connection(of path: String, is isConnected: Bool) {
      guard !isConnected else { return }
      let device = devices[path]
      let reason =
        device?.reason ?? BlueZReason.guess(isResolved: device?.isResolved ?? true)
      if subscribers[path] != nil { subscriberLeft(path, reason) }
      switch device?.phase {
      case .connected:
        devices[path] = nil
        shared.close(path)
        if device?.isOutdated == true { forget(path) }
        tell(.disconnected(DeviceID(path), reason))
      case .idle: devices[path] = nil
      case .connecting, .leaving, nil: break
      }
    }

    func forget(_ path: String) {
      guard let adapter, let device = tree.device(path), device["Paired"]?.asBool != true else {
        return
      }
      call(adapter, BlueZNames.adapter, "RemoveDevice", [.path(path)])
    }

    // MARK: Using

    func discover(_ path: String) {
      guard devices[path]?.phase == .connected else { return }
      devices[path]?.wantsServices = true
      if tree.isResolved(path) { resolved(path) }
    }

    func resolved(_ path: String) {
      noteSize(path)
      devices[path]?.isResolved = true
      guard devices[path]?.wantsServices == true else { return }
      devices[path]?.wantsServices = false
      tell(.discovered(DeviceID(path), tree.services(of: path)))
    }

    private func noteSize(_ path: String) {
      if let bytes = tree.valueBytesMax(of: path) { shared.note(path, valueBytesMax: bytes) }
    }

    private func characteristic(_ id: BluetoothID, of path: String) -> String? {
      if let known = devices[path]?.paths[id] { return known }
      let found = tree.characteristic(id, of: path, without: devices[path]?.goneServices ?? [])
      devices[path]?.paths[id] = found
      return found
    }

    /// Calls a method of a characteristic of a connected device.
    private func use(
      _ id: BluetoothID, of path: String, _ method: String, _ arguments: [BusValue],
      _ then: @escaping @Sendable (BlueZClient, String, [BusValue]) -> Void
    ) {
      let device = DeviceID(path)
      guard devices[path]?.phase == .connected else { return }
      guard let characteristic = characteristic(id, of: path) else {
        if devices[path]?.goneServices.isEmpty == false { devices[path]?.isOutdated = true }
        return tell(.failed(device, id))
      }
      call(characteristic, BlueZNames.characteristic, method, arguments, limit: .seconds(40)) {
        client, result in
        guard client.devices[path]?.phase == .connected else { return }
        switch result {
        case .success(let values): then(client, characteristic, values)
        case .failure(let error) where BlueZReason.isGone(error, method):
          // BlueZ may remember a service of a program that has ended beside that of the next one.
          client.devices[path]?.goneServices.insert(BlueZTree.service(of: characteristic))
          client.devices[path]?.paths = [:]
          client.use(id, of: path, method, arguments, then)
        case .failure: client.tell(.failed(device, id))
        }
      }
    }

    func read(_ id: BluetoothID, of path: String) {
      use(id, of: path, "ReadValue", [.properties([:])]) { client, _, values in
        client.tell(.value(DeviceID(path), id, values.first?.asBytes ?? []))
      }
    }

    func write(_ value: [UInt8], to id: BluetoothID, of path: String) {
      let options = BusValue.properties(["type": .string("request")])
      use(id, of: path, "WriteValue", [.bytes(value), options]) { client, _, _ in
        client.tell(.written(DeviceID(path), id))
      }
    }

    func subscribe(to id: BluetoothID, of path: String) {
      use(id, of: path, "StartNotify", []) { client, characteristic, _ in
        client.devices[path]?.subscriptions[characteristic] = id
        client.tell(.subscribed(DeviceID(path), id))
      }
    }

    /// A characteristic has a new value.
    func heard(_ bytes: [UInt8], at characteristic: String) {
      let path = Self.device(of: characteristic)
      guard let id = devices[path]?.subscriptions[characteristic] else { return }
      tell(.value(DeviceID(path), id, bytes))
    }

    /// A characteristic is gone, with its service: so it is when the other side's program has ended, though
    /// the connection stands.
    func lost(_ characteristic: String) {
      let path = Self.device(of: characteristic)
      guard devices[path]?.phase == .connected else { return }
      devices[path]?.paths = [:]
      guard let id = devices[path]?.subscriptions.removeValue(forKey: characteristic) else {
        return
      }
      tell(.failed(DeviceID(path), id))
    }

    /// A characteristic lies two steps below its device.
    private static func device(of characteristic: String) -> String {
      "/" + characteristic.split(separator: "/").dropLast(2).joined(separator: "/")
    }

    /// Writes without an answer; room was taken for it.
    func writeCommand(_ value: [UInt8], to id: BluetoothID, of path: String) {
      guard let characteristic = characteristic(id, of: path), owner != nil, bus != nil else {
        if shared.giveRoom(path) { tell(.writable(DeviceID(path))) }
        return
      }
      let options = BusValue.properties(["type": .string("command")])
      call(characteristic, BlueZNames.characteristic, "WriteValue", [.bytes(value), options]) {
        client, _ in
        if client.shared.giveRoom(path) { client.tell(.writable(DeviceID(path))) }
      }
    }
  }
#endif
