#if os(Linux)
  import ReunionDesktop

  /// The objects that BlueZ reads to learn what this side serves and advertises.
  struct BlueZApplication: Sendable {
    private let root: String
    private var objects: [String: [String: [String: BusValue]]] = [:]
    private var characteristics: [String: RadioService.Characteristic] = [:]

    init(_ root: String, _ services: [RadioService]) {
      self.root = root
      for (number, service) in services.enumerated() {
        let path = "\(root)/service\(number)"
        objects[path] = [
          BlueZNames.gattService: [
            "UUID": .string(service.id.description), "Primary": .bool(true),
          ]
        ]
        for (number, characteristic) in service.characteristics.enumerated() {
          var properties: [String: BusValue] = [
            "UUID": .string(characteristic.id.description), "Service": .path(path),
            "Flags": .strings(
              BlueZNames.uses.filter { characteristic.uses.contains($0.0) }.map(\.1)),
          ]
          // By this BlueZ knows that each listener can have a socket.
          if characteristic.uses.contains(.notify) { properties["NotifyAcquired"] = .bool(false) }
          let place = "\(path)/characteristic\(number)"
          objects[place] = [BlueZNames.characteristic: properties]
          characteristics[place] = characteristic
        }
      }
    }

    func characteristic(at path: String) -> RadioService.Characteristic? { characteristics[path] }

    /// Answers what is asked about the objects themselves.
    func answer(_ request: BusRequest) {
      guard request.interface == BlueZNames.objects else {
        return Self.answer(request, objects[request.path] ?? [:])
      }
      var answer: [BusValue: BusValue] = [:]
      for (path, interfaces) in objects { answer[.path(path)] = Self.value(of: interfaces) }
      request.reply([.dictionary("oa{sa{sv}}", answer)])
    }

    private static func value(of interfaces: [String: [String: BusValue]]) -> BusValue {
      var value: [BusValue: BusValue] = [:]
      for (name, properties) in interfaces { value[.string(name)] = .properties(properties) }
      return .dictionary("sa{sv}", value)
    }

    /// Answers for one object.
    static func answer(_ request: BusRequest, _ interfaces: [String: [String: BusValue]]) {
      let words = request.arguments.compactMap(\.asText)
      switch (request.interface, request.method) {
      case (BlueZNames.properties, "GetAll"):
        guard let properties = interfaces[words.first ?? ""] else { return refuse(request) }
        request.reply([.properties(properties)])
      case (BlueZNames.properties, "Get"):
        guard words.count == 2, let value = interfaces[words[0]]?[words[1]] else {
          return refuse(request)
        }
        request.reply([.variant(value)])
      case (BlueZNames.advertisement, "Release"): request.reply()
      default: request.fail(BusError(BusError.unknownMethod, "There is no such method."))
      }
    }

    private static func refuse(_ request: BusRequest) {
      request.fail(BusError(BusError.unknownProperty, "There is no such property."))
    }
  }
#endif
