/// A Bluetooth LE radio of this machine, in both roles: it finds and uses devices, and is found.
///
/// Calls start something and return at once; what became of it comes as a `RadioEvent`. BlueZ over
/// D-Bus and CoreBluetooth both work this way. `SimulatedRadio` is a radio on virtual time.
///
/// ```swift
/// let clock = TestClock()
/// let medium = SimulatedMedium(clock: clock, seed: 7)
/// let (sensor, phone): (any Radio, any Radio) = (medium.radio("sensor"), medium.radio("phone"))
/// let weather = BluetoothID(assigned: 0x181A)
/// sensor.start { _ in }
/// phone.start { event in
///   if case .sighted(let sighting) = event { print(sighting.device) }   // sensor
/// }
/// clock.advance(by: .seconds(1))                                        // both are on
/// sensor.advertise(Advertisement(services: [weather]))
/// phone.scan(for: [weather])
/// clock.advance(by: .seconds(1))
/// ```
///
/// Most apps give one to a `Bluetooth`, and call nothing of it themselves. One that offers a
/// service of its own does, on a radio that no `Bluetooth` uses. A radio has one listener, one scan
/// and one advertisement.
///
/// *Thread*: any. Events come one at a time, in order, on an executor of the radio's own, and never
/// from inside a call. *Errors*: a call about a device that is not connected does nothing, except
/// that `disconnect` always answers.
public protocol Radio: AnyObject, Sendable {
  /// Begins to deliver events; the first is the radio's state. Call it once, and before anything
  /// else: what is asked for before the state is `on` may be lost.
  func start(_ deliver: @escaping @Sendable (RadioEvent) -> Void)

  // MARK: Finding and using devices (central)

  /// Listens for devices that advertise one of these services, or for all devices if none is given.
  /// It goes on until `stopScan`, and replaces an earlier scan.
  func scan(for services: [BluetoothID])

  /// Listens no longer.
  func stopScan()

  /// Connects, however long it takes; `connected` or `disconnected` follows.
  ///
  /// A device that the system is connected with already is reported at once. A radio whose system
  /// gives up after a while (BlueZ: 40 s) reports `disconnected(…, .outOfRange)` then.
  func connect(to device: DeviceID)

  /// Ends a connection, or an attempt; `disconnected(…, .asked)` follows in any case.
  func disconnect(from device: DeviceID)

  /// Has the system forget what it remembers of a device, such as its services.
  func forget(_ device: DeviceID)

  /// Asks a connected device for its services; `discovered` follows, when the system has found them
  /// all.
  func discover(_ device: DeviceID)

  /// Reads a value; `value` or `failed` follows.
  func read(_ characteristic: BluetoothID, of device: DeviceID)

  /// Writes a value of at most `valueBytesMax`, and asks for an answer: `written` follows, or
  /// `failed`.
  func write(_ value: [UInt8], to characteristic: BluetoothID, of device: DeviceID)

  /// Writes a value of at most `valueBytesMax` without an answer.
  ///
  /// False when the radio can take no more; `writable` follows when it can.
  func writeWithoutResponse(
    _ value: [UInt8], to characteristic: BluetoothID, of device: DeviceID
  ) -> Bool

  /// Asks to be told of a characteristic's new values; `subscribed` follows, or `failed`.
  func subscribe(to characteristic: BluetoothID, of device: DeviceID)

  /// The most bytes of one value on the connection with a device: its MTU less 3, and less than
  /// what the system is known to refuse (`Radio` of BlueZ before 5.69: 508).
  func valueBytesMax(of device: DeviceID) -> Int

  // MARK: Being found and used (peripheral)

  /// Offers these services from now on, in place of those before; an empty list ends it. What
  /// others do with them comes as `received` and `listening`, and a value that they read is that of
  /// the service.
  func serve(_ services: [RadioService])

  /// Tells everybody around, until it is called again with another advertisement or nil. Others can
  /// connect only meanwhile.
  func advertise(_ advertisement: Advertisement?)

  /// Tells one device that has subscribed of a new value of at most `valueBytesMax`.
  ///
  /// False when the radio can take no more; `writable` follows when it can. For a device that does
  /// not listen it is true, and the value is gone.
  func notify(_ value: [UInt8], of characteristic: BluetoothID, to device: DeviceID) -> Bool
}

/// What a radio reports.
public enum RadioEvent: Sendable {
  /// The radio can, or can no longer, be used. Unless it is on, nothing is connected, scanned for,
  /// served or advertised any more, and must be asked for again. A radio need not tell of each
  /// connection then.
  case state(RadioState)
  /// A scan has heard a device.
  case sighted(Sighting)
  /// A connection that was asked for stands.
  case connected(DeviceID)
  /// A connection, or an attempt, is over.
  case disconnected(DeviceID, DisconnectReason)
  /// The services of a device.
  case discovered(DeviceID, [RadioService])
  /// A value that was read, or of which this side asked to be told.
  case value(DeviceID, BluetoothID, [UInt8])
  /// A value was written, and the device has said so.
  case written(DeviceID, BluetoothID)
  /// The device tells of new values from now on.
  case subscribed(DeviceID, BluetoothID)
  /// Discovering, reading, writing or subscribing failed.
  case failed(DeviceID, BluetoothID?)
  /// There is room for values without a response again.
  case writable(DeviceID)

  /// A device that found this one wants to be told of a characteristic's new values.
  case listening(DeviceID, BluetoothID)
  /// A device that found this one has written a value.
  case received(DeviceID, BluetoothID, [UInt8])
  /// A device that found this one is gone.
  case left(DeviceID, DisconnectReason)
}
