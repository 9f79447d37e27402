#if os(Linux)
  import ReunionDesktop

  /// What BlueZ has told of its objects: adapters, devices, their services and characteristics.
  struct BlueZTree {
    typealias Properties = [String: BusValue]
    private(set) var objects: [String: [String: Properties]] = [:]

    init() {}

    /// Takes the answer of `GetManagedObjects`.
    init(_ answer: BusValue?) {
      for (path, interfaces) in answer?.asDictionary ?? [:] {
        if let path = path.asText { add(path, interfaces) }
      }
    }

    // MARK: What happens to it

    mutating func add(_ path: String, _ interfaces: BusValue) {
      for (name, properties) in interfaces.asDictionary ?? [:] {
        guard let name = name.asText, name.hasPrefix("org.bluez.") else { continue }
        objects[path, default: [:]][name] = properties.asProperties ?? [:]
      }
    }

    mutating func remove(_ path: String, _ interfaces: [String]) {
      for name in interfaces { objects[path]?[name] = nil }
      if objects[path]?.isEmpty == true { objects[path] = nil }
    }

    mutating func change(
      _ path: String, _ interface: String, _ changed: Properties, gone: [String]
    ) {
      guard objects[path]?[interface] != nil else { return }
      objects[path]?[interface]?.merge(changed) { $1 }
      for name in gone { objects[path]?[interface]?[name] = nil }
    }

    // MARK: What it says

    func properties(_ path: String, _ interface: String) -> Properties? {
      objects[path]?[interface]
    }

    /// The adapter of a name such as `hci0`; without one the first that is switched on, or the first.
    func adapter(named name: String?) -> String? {
      let adapters = objects.filter { $0.value[BlueZNames.adapter] != nil }.keys.sorted {
        ($0.utf8.count, $0) < ($1.utf8.count, $1)
      }
      if let name { return adapters.first { $0 == "/org/bluez/" + name } }
      return adapters.first { isOn($0) } ?? adapters.first
    }

    func isOn(_ adapter: String) -> Bool {
      properties(adapter, BlueZNames.adapter)?["Powered"]?.asBool == true
    }

    /// The paths of all devices, those of other adapters too.
    var devices: [String] { objects.filter { $0.value[BlueZNames.device] != nil }.keys.sorted() }

    func device(_ path: String) -> Properties? { properties(path, BlueZNames.device) }

    func isConnected(_ path: String) -> Bool { device(path)?["Connected"]?.asBool == true }

    func isResolved(_ path: String) -> Bool { device(path)?["ServicesResolved"]?.asBool == true }

    /// What a scan has heard of a device; nil while none hears it.
    func sighting(_ path: String) -> Sighting? {
      guard let device = device(path), let strength = device["RSSI"]?.asInt else { return nil }
      var data: [UInt8] = []
      let all = device["ManufacturerData"]?.asDictionary ?? [:]
      // A device has those of one company, or else of the first.
      if let (company, bytes) = all.min(by: { ($0.key.asInt ?? 0) < ($1.key.asInt ?? 0) }),
        let number = company.asInt, case .variant(.bytes(let bytes)) = bytes
      {
        data = [UInt8(number & 0xFF), UInt8(number >> 8 & 0xFF)] + bytes
      }
      let services = (device["UUIDs"]?.asTexts ?? []).compactMap { BluetoothID($0) }
      let told = BlueZAdvertisement.data(of: device, services: services)
      return Sighting(
        device: DeviceID(path), name: told.name, signalStrength: strength, services: services,
        manufacturerData: data, serviceData: told.data)
    }

    /// Whether the services of a device are known from an earlier connection alone.
    func hasOldServices(_ device: String) -> Bool {
      !isConnected(device) && objects.keys.contains { $0.hasPrefix(device + "/service") }
    }

    /// The services of a device, in the order of their handles.
    func services(of device: String) -> [RadioService] {
      let paths = objects.keys.filter { $0.hasPrefix(device + "/service") }.sorted()
      var services: [RadioService] = []
      var places: [String: Int] = [:]
      for path in paths {
        guard let id = properties(path, BlueZNames.gattService)?["UUID"]?.asText else { continue }
        guard let id = BluetoothID(id) else { continue }
        places[path] = services.count
        services.append(RadioService(id, []))
      }
      for path in paths {
        guard let properties = properties(path, BlueZNames.characteristic),
          let id = properties["UUID"]?.asText.flatMap({ BluetoothID($0) }),
          let place = properties["Service"]?.asText.flatMap({ places[$0] })
        else { continue }
        let flags = properties["Flags"]?.asTexts ?? []
        let uses = BlueZNames.uses.filter { flags.contains($0.1) }.map(\.0)
        services[place].characteristics.append(
          RadioService.Characteristic(id, uses.reduce(into: []) { $0.formUnion($1) }))
      }
      return services
    }

    /// The path of a characteristic; of several with the same name the first, without those of some services.
    func characteristic(
      _ id: BluetoothID, of device: String, without gone: Set<String> = []
    ) -> String? {
      let text = id.description
      return objects.keys.filter {
        $0.hasPrefix(device + "/service") && !gone.contains(Self.service(of: $0))
          && properties($0, BlueZNames.characteristic)?["UUID"]?.asText?.lowercased() == text
      }.min()
    }

    /// A characteristic lies a step below its service.
    static func service(of characteristic: String) -> String {
      "/" + characteristic.split(separator: "/").dropLast().joined(separator: "/")
    }

    /// How many bytes a value on the connection with a device may have: BlueZ before 5.69 refuses more
    /// than 510, of which we keep a distance of two.
    func valueBytesMax(of device: String) -> Int? {
      for path in objects.keys where path.hasPrefix(device + "/service") {
        guard let mtu = properties(path, BlueZNames.characteristic)?["MTU"]?.asInt else { continue }
        return Self.valueBytesMax(ofMTU: mtu)
      }
      return nil
    }

    static func valueBytesMax(ofMTU mtu: Int) -> Int { max(20, min(mtu - 3, 508)) }

    /// The version of BlueZ, which an adapter tells as that of its maker's product: 5.66 is 0x0542.
    func version(of adapter: String) -> BlueZVersion? {
      guard let text = properties(adapter, BlueZNames.adapter)?["Modalias"]?.asText,
        text.hasPrefix("usb:v1D6Bp0246d"), let code = UInt16(text.suffix(4), radix: 16)
      else { return nil }
      return BlueZVersion(major: Int(code >> 8), minor: Int(code & 0xFF))
    }
  }
#endif
