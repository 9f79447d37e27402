import FoundationEssentials

/// Reads the placemarks of KML 2.x: points, lines and tracks. Polygons and models are passed over.
enum KMLFormat {
  static func interest(_ word: FeedWord) -> XMLInterest {
    switch word {
    case .kml, .kmlDocument, .kmlFolder: .enter
    case .kmlPlacemark, .kmlName, .kmlDescription, .atomLink: .collect
    default: .skip
    }
  }

  /// Takes what the document says of itself; folders inside of it say it of themselves.
  static func describe(_ feed: inout Feed, _ element: ElementView, _ words: Vocabulary) {
    switch words[element] {
    case .kmlName: if feed.title.isEmpty { feed.title = element.text.string }
    case .kmlDescription: if feed.subtitle.isEmpty { feed.subtitle = element.text.string }
    case .atomLink: if let link = AtomFormat.link(element, words) { feed.links.append(link) }
    default: break
    }
  }

  static func entry(_ element: ElementView, _ words: Vocabulary) -> FeedEntry {
    var entry = FeedEntry()
    var segments: [[FeedTrack.Point]] = []
    var place = LocationParts()
    element.forEachAttribute { number, value in
      if words[attribute: number] == .id { entry.id = value.string }
    }
    element.forEachChild { child in
      switch words[child] {
      case .kmlName: entry.title = child.text.string
      case .kmlDescription: entry.summary = FeedText(.html, child.text.string)
      case .kmlSnippet:
        if entry.summary == nil { entry.summary = FeedText(.plain, child.text.string) }
      case .kmlTimeStamp, .kmlTimeSpan:
        child.forEachChild { part in
          guard [.kmlWhen, .kmlBegin].contains(words[part]) else { return }
          entry.published = DateText.date(part.text)
        }
      case .kmlPoint, .kmlLineString, .kmlMultiGeometry, .gxTrack, .gxMultiTrack:
        takeGeometry(child, words, &entry, &segments)
      default: AtomFormat.take(child, words, &entry, &place)
      }
    }
    segments.removeAll { $0.isEmpty }
    if !segments.isEmpty { entry.track = FeedTrack(segments: segments) }
    return entry
  }

  private static func takeGeometry(
    _ element: ElementView, _ words: Vocabulary, _ entry: inout FeedEntry,
    _ segments: inout [[FeedTrack.Point]]
  ) {
    switch words[element] {
    case .kmlPoint:
      let places = coordinates(element, words)
      if entry.location == nil, places.count == 1 { entry.location = places[0] }
    case .kmlLineString:
      segments.append(coordinates(element, words).map { FeedTrack.Point($0) })
    case .gxTrack: segments.append(track(element, words))
    case .kmlMultiGeometry, .gxMultiTrack:
      element.forEachChild { takeGeometry($0, words, &entry, &segments) }
    default: break
    }
  }

  /// Longitude first, then latitude, and maybe altitude. Where one of them is no place, none is: what
  /// else stands there may mean something else, too.
  private static func coordinates(_ element: ElementView, _ words: Vocabulary) -> [FeedLocation] {
    var places: [FeedLocation] = []
    element.forEachChild { child in
      guard words[child] == .kmlCoordinates, let tuples = child.text.tuples else { return }
      let found = tuples.compactMap(place)
      if found.count == tuples.count { places += found }
    }
    return places
  }

  /// First all times, then all places; one time for each place, or else none says when.
  private static func track(_ element: ElementView, _ words: Vocabulary) -> [FeedTrack.Point] {
    var times: [Date?] = []
    var places: [FeedLocation?] = []
    element.forEachChild { child in
      switch words[child] {
      case .kmlWhen: times.append(DateText.date(child.text))
      case .gxCoordinate: places.append(child.text.tuple.flatMap(place))
      default: break
      }
    }
    return places.enumerated().compactMap { index, place in
      place.map { FeedTrack.Point($0, time: times.count == places.count ? times[index] : nil) }
    }
  }

  private static func place(_ numbers: [Double]) -> FeedLocation? {
    FeedLocation(numbers[1], numbers[0], numbers.count > 2 ? numbers[2] : nil)
  }
}
