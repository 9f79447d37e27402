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
      let text = element.text
      (latitude, longitude) = (text.number(at: 0), text.number(at: 1))
      if let height = text.number(at: 2) { elevation = height }
    case .georssElevation, .geoAltitude: elevation = element.text.number
    case .geoLatitude: latitude = element.text.number
    case .geoLongitude: longitude = element.text.number
    case .georssWhere, .gmlPoint, .geoPoint:
      element.forEachChild { _ = take($0, words) }
    case .georssLine:
      guard let numbers = element.text.numbers else { return true }
      line = stride(from: 0, to: numbers.count - 1, by: 2).compactMap {
        FeedLocation(numbers[$0], numbers[$0 + 1]).map { FeedTrack.Point($0) }
      }
    default: return false
    }
    return true
  }

  /// Gives the entry what was found.
  func finish(_ entry: inout FeedEntry) {
    if let found = FeedLocation(latitude, longitude, elevation) { entry.location = found }
    if !line.isEmpty { entry.track = FeedTrack(segments: [line]) }
  }
}
