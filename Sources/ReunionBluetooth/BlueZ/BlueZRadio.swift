#if os(Linux)
  import Dispatch
  package import ReunionCore
  package import ReunionDesktop
  public import ReunionFlow

  /// The radio of Linux: BlueZ's `bluetoothd`, over D-Bus, as an ordinary user.
  ///
  /// ```swift
  /// let bluetooth = try Bluetooth(radio: BlueZRadio(), folder: "app-data/bluetooth")
  /// ```
  ///
  /// It switches no adapter on or off, and pairs with nobody. That D-Bus, `bluetoothd` or the
  /// adapter is missing is a `RadioState`, and no error. The radio goes on by itself when they are
  /// there.
  ///
  /// *Thread*: any; events come on a queue of its own. *Lifetime*: what it asked of the service
  /// ends with it.
  /// *Source*: BlueZ's `doc/org.bluez.*.rst`, and its sources of 5.66 where they differ.
  public final class BlueZRadio: Radio {
    private let client: BlueZClient

    /// Uses an adapter, such as `hci0`; without a name the first that is switched on, or the first
    /// while none is.
    ///
    /// Nothing is opened before `start`. An adapter that is not there makes the radio `unsupported`
    /// until it is.
    public convenience init(adapter: String? = nil, clock: any FlowClock = SystemClock.shared) {
      self.init(.system, adapter: adapter, clock: clock)
    }

    package init(
      _ place: Bus.Place, adapter: String? = nil, adapterFolder: String = "/sys/class/bluetooth",
      clock: any FlowClock = SystemClock.shared, seededBugs: SeededBugs = SeededBugs()
    ) {
      client = BlueZClient(
        place: place, adapter: adapter, adapterFolder: adapterFolder, clock: clock,
        seededBugs: seededBugs)
    }

    /// Begins to deliver events.
    public func start(_ deliver: @escaping @Sendable (RadioEvent) -> Void) {
      client.run { $0.start(deliver) }
    }

    /// The version of the running service; nil before `start` has found one, while none runs, or if
    /// it does not say.
    public var version: BlueZVersion? {
      get async {
        await withCheckedContinuation { resume in
          client.queue.async { [client] in
            resume.resume(returning: client.adapter.flatMap { client.tree.version(of: $0) })
          }
        }
      }
    }

    // MARK: Central

    /// Listens for devices; see `Radio`.
    public func scan(for services: [BluetoothID]) {
      client.run { client in if client.state == .on { client.scan(services) } }
    }

    /// Listens no longer.
    public func stopScan() { client.run { $0.stopScan() } }

    /// Connects; see `Radio`.
    public func connect(to device: DeviceID) { client.run { $0.connect(device.text) } }

    /// Ends a connection or an attempt.
    public func disconnect(from device: DeviceID) { client.run { $0.disconnect(device.text) } }

    /// Has BlueZ forget a device, unless it is paired with the system.
    public func forget(_ device: DeviceID) { client.run { $0.forget(device.text) } }

    /// Asks for services.
    public func discover(_ device: DeviceID) { client.run { $0.discover(device.text) } }

    /// Reads a value. If the characteristic is subscribed to, the value may be told twice.
    public func read(_ characteristic: BluetoothID, of device: DeviceID) {
      client.run { $0.read(characteristic, of: device.text) }
    }

    /// Writes a value, and awaits the answer.
    public func write(_ value: [UInt8], to characteristic: BluetoothID, of device: DeviceID) {
      client.run { $0.write(value, to: characteristic, of: device.text) }
    }

    /// Writes a value without an answer; false while 16 to the device are under way.
    public func writeWithoutResponse(
      _ value: [UInt8], to characteristic: BluetoothID, of device: DeviceID
    ) -> Bool {
      switch client.shared.takeRoom(device.text) {
      case .full: return false
      case .gone: return true
      case .free:
        client.run { $0.writeCommand(value, to: characteristic, of: device.text) }
        return true
      }
    }

    /// Subscribes.
    public func subscribe(to characteristic: BluetoothID, of device: DeviceID) {
      client.run { $0.subscribe(to: characteristic, of: device.text) }
    }

    /// The MTU less 3, and at most 508; 20 while the MTU is not known.
    public func valueBytesMax(of device: DeviceID) -> Int {
      client.shared.valueBytesMax(device.text)
    }

    // MARK: Peripheral

    /// Offers services.
    public func serve(_ services: [RadioService]) {
      client.run { client in
        guard client.state == .on else { return }
        client.serving.want(services.isEmpty ? nil : services)
      }
    }

    /// Tells everybody around. One advertisement has room for one service of 128 bits; a name goes
    /// into the answer to a scan, or in its place the data of one service, of at most 21 bytes.
    public func advertise(_ advertisement: Advertisement?) {
      client.run { client in
        guard client.state == .on else { return }
        client.advertising.want(advertisement)
      }
    }

    /// Tells a device of a new value. BlueZ before 5.67 tells all that listen: one at a time can.
    public func notify(
      _ value: [UInt8], of characteristic: BluetoothID, to device: DeviceID
    ) -> Bool {
      let listener = BlueZShared.Listener(device: device.text, characteristic: characteristic)
      guard let descriptor = client.shared.listener(listener) else { return true }
      guard descriptor.send(value) == .full else { return true }
      client.run { $0.waitForRoom(device.text, characteristic) }
      return false
    }
  }
#endif
