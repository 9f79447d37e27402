/// What each route makes of an entry.
struct Quake {
  var id = ""
  var title = ""
  var updated = ""
  var link = ""
  var summary = ""
  var latitude = 0.0
  var longitude = 0.0
  var elevation = 0.0
  var categories: [String] = []
}

/// What a route came to: so that all can be seen to have found the same.
struct Tally: Equatable {
  var entries = 0
  var bytes = 0
  var places = 0.0
  /// Over every byte of every text; only where it was asked for, since it takes as long as reading.
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  var isHashing = false

  mutating func add(_ quake: Quake) {
    add(quake.id)
    add(quake.title)
    add(quake.updated)
    add(quake.link)
    add(quake.summary)
    for category in quake.categories { add(category) }
    add(quake.latitude, quake.longitude, quake.elevation)
  }

  mutating func add(_ text: String) {
    bytes += text.utf8.count
    if isHashing { for byte in text.utf8 { mix(UInt64(byte)) } }
  }

  mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
    bytes += text.count
    if isHashing { for byte in text { mix(UInt64(byte)) } }
  }

  mutating func add(_ latitude: Double, _ longitude: Double, _ elevation: Double) {
    entries += 1
    places += latitude + longitude + elevation
    if isHashing { for part in [latitude, longitude, elevation] { mix(part.bitPattern) } }
  }

  private mutating func mix(_ value: UInt64) { hash = (hash ^ value) &* 0x100_0000_01B3 }
}
