#if os(Linux)
  import Dispatch
  import ReunionDesktop

  /// A device that found this one, and what it listens to.
  struct BlueZSubscriber {
    /// What tells that it listens no longer, by characteristic.
    var ends: [BluetoothID: ListenerWatch] = [:]
  }

  extension BlueZClient {
    // MARK: Services of this side

    func register(_ services: [RadioService], _ done: @escaping @Sendable (Bool) -> Void) {
      guard let adapter, let bus else { return done(false) }
      lastObject += 1
      let path = "/reunion/application\(lastObject)"
      let objects = BlueZApplication(path, services)
      let export = bus.export(path) { [weak self] request in self?.answer(request, objects) }
      application = (path, services, export)
      call(
        adapter, BlueZNames.gattManager, "RegisterApplication", [.path(path), .properties([:])]
      ) { client, result in
        if case .failure = result, client.application?.path == path { client.application = nil }
        done((try? result.get()) != nil)
      }
    }

    func unregister(_ done: @escaping @Sendable (Bool) -> Void) {
      guard let adapter, let application else { return done(true) }
      self.application = nil
      call(adapter, BlueZNames.gattManager, "UnregisterApplication", [.path(application.path)]) {
        _, _ in
        // The objects are there until the service has let them go.
        withExtendedLifetime(application.export) {}
        done(true)
      }
    }

    private func answer(_ request: BusRequest, _ objects: BlueZApplication) {
      // Others on the bus have no business here.
      guard request.sender == owner else {
        return request.fail(BusError(BusError.accessDenied, "This is for BlueZ alone."))
      }
      let options = request.arguments.last?.asProperties ?? [:]
      guard request.interface == BlueZNames.characteristic else {
        return objects.answer(request)
      }
      guard let characteristic = objects.characteristic(at: request.path) else {
        return request.fail(BusError(BusError.unknownObject, "There is no such characteristic."))
      }
      let device = options["device"]?.asText ?? ""
      if let mtu = options["mtu"]?.asInt {
        shared.note(device, valueBytesMax: BlueZTree.valueBytesMax(ofMTU: mtu))
      }
      switch request.method {
      case "ReadValue":
        let start = options["offset"]?.asInt ?? 0
        guard start <= characteristic.value.count else {
          return request.fail(BusError("org.bluez.Error.InvalidOffset", "It is not so long."))
        }
        request.reply([.bytes(Array(characteristic.value.dropFirst(start)))])
      case "WriteValue":
        guard options["offset"]?.asInt ?? 0 == 0, let value = request.arguments.first?.asBytes
        else {
          return request.fail(BusError("org.bluez.Error.InvalidOffset", "Write it from its start."))
        }
        request.reply()
        tell(.received(DeviceID(device), characteristic.id, value))
      case "AcquireNotify":
        guard let far = listen(device, characteristic.id) else {
          return request.fail(BusError("org.bluez.Error.Failed", "No descriptor is left."))
        }
        let mtu = UInt16(clamping: options["mtu"]?.asInt ?? 23)
        request.reply([.descriptor(far), .uint16(mtu)])
        tell(.listening(DeviceID(device), characteristic.id))
      default: request.reply()
      }
    }

    /// Makes the socket by which one device is told of new values; the result is BlueZ's end.
    private func listen(_ device: String, _ id: BluetoothID) -> BusDescriptor? {
      // Little waits in the socket, so that urgent values do not wait behind it.
      guard let (near, far) = BusDescriptor.pair(sendBytesMax: 16_384) else { return nil }
      let watch = ListenerWatch(near, queue: queue)
      watch.whenEnded = { [weak self] in self?.subscriberEnded(device, id) }
      watch.whenWritable = { [weak self] in self?.tell(.writable(DeviceID(device))) }
      subscribers[device, default: BlueZSubscriber()].ends[id] = watch
      shared.listen(.init(device: device, characteristic: id), near)
      return far
    }

    /// BlueZ has closed its end: the device listens no longer.
    private func subscriberEnded(_ device: String, _ id: BluetoothID) {
      guard subscribers[device]?.ends.removeValue(forKey: id) != nil else { return }
      shared.listen(.init(device: device, characteristic: id), nil)
      if subscribers[device]?.ends.isEmpty == true {
        subscribers[device] = nil
        tell(.left(DeviceID(device), .leftOnPurpose))
      }
    }

    func subscriberLeft(_ device: String, _ reason: DisconnectReason) {
      guard let subscriber = subscribers.removeValue(forKey: device) else { return }
      for id in subscriber.ends.keys {
        shared.listen(.init(device: device, characteristic: id), nil)
      }
      tell(.left(DeviceID(device), reason))
    }

    /// There was no room for a value.
    func waitForRoom(_ device: String, _ id: BluetoothID) {
      subscribers[device]?.ends[id]?.waitUntilWritable()
    }

    // MARK: Telling everybody around

    func announce(_ advertisement: Advertisement, _ done: @escaping @Sendable (Bool) -> Void) {
      guard let adapter, let bus else { return done(false) }
      lastObject += 1
      let path = "/reunion/advertisement\(lastObject)"
      let properties = BlueZAdvertisement.properties(of: advertisement)
      let export = bus.export(path) { [weak self] request in
        guard request.sender == self?.owner else {
          return request.fail(BusError(BusError.accessDenied, "This is for BlueZ alone."))
        }
        BlueZApplication.answer(request, [BlueZNames.advertisement: properties])
      }
      advertised = (path, export)
      call(
        adapter, BlueZNames.advertisingManager, "RegisterAdvertisement",
        [.path(path), .properties([:])]
      ) { client, result in
        if case .failure = result, client.advertised?.path == path { client.advertised = nil }
        done((try? result.get()) != nil)
      }
    }

    func renounce(_ done: @escaping @Sendable (Bool) -> Void) {
      guard let adapter, let advertised else { return done(true) }
      self.advertised = nil
      call(
        adapter, BlueZNames.advertisingManager, "UnregisterAdvertisement", [.path(advertised.path)]
      ) { _, _ in
        withExtendedLifetime(advertised.export) {}
        done(true)
      }
    }
  }
#endif
