/// A place whose parts come one by one: GeoRSS, GML and W3C geo.
struct LocationParts {
  private var latitude: Double?
  private var longitude: Double?
  private var elevation: Double?
  private var line: [FeedTrack.Point] = []

  /// Takes an element that says something of the place; returns whether it was one.
  mutating func take(_ element: ElementView, _ words: Vocabulary) -> Bool {
    switch words[element] {
    case .georssPoint, .gmlPosition:
      guard isNorthFirst(element, words), let numbers = element.text.tuple else { return true }
      (latitude, longitude) = (numbers[0], numbers[1])
      if numbers.count > 2 { elevation = numbers[2] }
    case .georssElevation, .geoAltitude: elevation = element.text.number
    case .geoLatitude: latitude = element.text.number
    case .geoLongitude: longitude = element.text.number
    case .georssWhere, .gmlPoint, .geoPoint:
      if isNorthFirst(element, words) { element.forEachChild { _ = take($0, words) } }
    case .georssLine: line = Self.line(element.text)
    default: return false
    }
    return true
  }

  /// Whether numbers are in the order of GeoRSS: in another system of coordinates they mean something
  /// else.
  private func isNorthFirst(_ element: ElementView, _ words: Vocabulary) -> Bool {
    var isNorthFirst = true
    element.forEachAttribute { number, value in
      guard words[attribute: number] == .srsName else { return }
      isNorthFirst = value.string.split { ":/#".contains($0) }.last.map { $0 == "4326" } ?? true
    }
    return isNorthFirst
  }

  /// Pairs of north and east with white space between all numbers, or with commas inside of the pairs;
  /// nothing where any of them is no place, or commas may be decimal points.
  private static func line(_ text: UnsafeBufferPointer<UInt8>) -> [FeedTrack.Point] {
    var pairs: [[Double]] = []
    if text.contains(UInt8(ascii: ",")) {
      guard text.contains(UInt8(ascii: ".")), let tuples = text.tuples else { return [] }
      pairs = tuples
    } else {
      guard let numbers = text.numbers, numbers.count.isMultiple(of: 2) else { return [] }
      pairs = stride(from: 0, to: numbers.count, by: 2).map { Array(numbers[$0..<$0 + 2]) }
    }
    let points = pairs.compactMap { pair in
      pair.count == 2 ? FeedLocation(pair[0], pair[1]).map { FeedTrack.Point($0) } : nil
    }
    return points.count == pairs.count ? points : []
  }

  /// Gives the entry what was found.
  func finish(_ entry: inout FeedEntry) {
    if let found = FeedLocation(latitude, longitude, elevation) { entry.location = found }
    if !line.isEmpty { entry.track = FeedTrack(segments: [line]) }
  }
}
