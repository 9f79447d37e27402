#if os(Linux)
  import Foundation
  import ReunionDesktop

  /// An advertisement as BlueZ takes it and tells it.
  ///
  /// There are 31 bytes, and as many in the answer to a scan. BlueZ before 5.80 puts nothing but a name into that
  /// answer, and refuses what is too long for the first. So data that has no room there goes as a name, which no
  /// person reads: a mark, and the bytes in base64.
  enum BlueZAdvertisement {
    private static let mark: Character = "~"
    /// How many letters of a name fit.
    private static let nameMax = Advertisement.firstPartBytesMax - 2

    static func properties(of advertisement: Advertisement) -> [String: BusValue] {
      var properties: [String: BusValue] = [
        "Type": .string("peripheral"),
        "ServiceUUIDs": .strings(advertisement.services.map(\.description)),
        // Otherwise a BlueZ that listens takes no note of it.
        "Discoverable": .bool(true),
      ]
      if let name = advertisement.name { properties["LocalName"] = .string(name) }
      let data = advertisement.manufacturerData
      if data.count >= 2 {
        let company = UInt16(data[0]) | UInt16(data[1]) << 8
        properties["ManufacturerData"] = .dictionary(
          "qv", [.uint16(company): .variant(.bytes(Array(data.dropFirst(2))))])
      }
      let entries = advertisement.serviceData
      guard !entries.isEmpty else { return properties }
      if bytes(of: advertisement) <= Advertisement.firstPartBytesMax {
        properties["ServiceData"] = .properties(
          Dictionary(uniqueKeysWithValues: entries.map { ($0.description, .bytes($1)) }))
      } else if advertisement.name == nil, entries.count == 1, let bytes = entries.values.first,
        let name = name(of: bytes)
      {
        properties["LocalName"] = .string(name)
      }
      return properties
    }

    /// The first part with the data of services in it.
    private static func bytes(of advertisement: Advertisement) -> Int {
      advertisement.serviceData.map { 2 + $0.advertisedByteCount + $1.count }
        .reduce(advertisement.firstPartByteCount, +)
    }

    /// Bytes as a name; nil where they are too many.
    static func name(of bytes: [UInt8]) -> String? {
      let letters = Data(bytes).base64EncodedString().prefix { $0 != "=" }
      return letters.count < nameMax ? "\(mark)\(letters)" : nil
    }

    /// The bytes that a name is made of; nil for any other name.
    static func bytes(inName name: String) -> [UInt8]? {
      guard name.first == mark, name.count <= nameMax else { return nil }
      let letters = name.dropFirst()
      let padding = String(repeating: "=", count: (4 - letters.count % 4) % 4)
      guard let bytes = Data(base64Encoded: letters + padding).map(Array.init), !bytes.isEmpty
      else { return nil }
      // As it was made, and not another way to write the same.
      return Self.name(of: bytes) == name ? bytes : nil
    }

    /// The data of services that a device has told; the name is nil where it was none.
    static func data(
      of device: [String: BusValue], services: [BluetoothID]
    ) -> (name: String?, data: [BluetoothID: [UInt8]]) {
      var data: [BluetoothID: [UInt8]] = [:]
      for (name, value) in device["ServiceData"]?.asProperties ?? [:] {
        if let id = BluetoothID(name) { data[id] = value.asBytes }
      }
      let name = device["Name"]?.asText
      guard let name, let bytes = bytes(inName: name) else { return (name, data) }
      // It does not say of which: of those that have no short name.
      for id in services where id.advertisedByteCount == 16 && data[id] == nil { data[id] = bytes }
      return (nil, data)
    }
  }
#endif
