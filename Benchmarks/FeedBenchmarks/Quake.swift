import ReunionFeeds

/// What each route makes of an entry.
struct Quake<Text: QuakeText> {
  var id = Text()
  var title = Text()
  var updated = Text()
  var link = Text()
  var summary = Text()
  var latitude = 0.0
  var longitude = 0.0
  var elevation = 0.0
  var categories: [Text] = []
}

/// What a route has texts as.
protocol QuakeText {
  init()
  init(_ text: XMLText)
  var byteCount: Int { get }
  func withBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void)
}

extension XMLText: QuakeText {
  init(_ text: XMLText) { self = text }
  func withBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) { withUTF8(body) }
}

extension String: QuakeText {
  var byteCount: Int { utf8.count }
  func withBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    var copy = self
    copy.withUTF8(body)
  }
}

/// What a route came to: so that all can be seen to have found the same.
struct Tally: Equatable {
  var entries = 0
  var bytes = 0
  var places = 0.0
  /// Over every byte of every text; only where it was asked for, since it takes as long as reading.
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  var isHashing = false

  mutating func add<Text>(_ quake: Quake<Text>) {
    add(quake.id)
    add(quake.title)
    add(quake.updated)
    add(quake.link)
    add(quake.summary)
    for category in quake.categories { add(category) }
    add(quake.latitude, quake.longitude, quake.elevation)
  }

  mutating func add(_ text: some QuakeText) {
    bytes += text.byteCount
    if isHashing { text.withBytes { for byte in $0 { mix(UInt64(byte)) } } }
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
