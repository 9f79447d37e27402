import FoundationEssentials

/// Reads GPX 1.0 and 1.1. The points of a track are taken one by one: what grows is the track alone.
struct GPXFormat {
  /// The track or route that is open.
  private var entry: FeedEntry?
  private var segments: [[FeedTrack.Point]] = []
  private var pointCount = 0

  static func interest(_ word: FeedWord) -> XMLInterest {
    switch word {
    case .gpx, .gpxMetadata, .gpxTrack, .gpxSegment, .gpxRoute: .enter
    case .gpxWaypoint, .gpxTrackPoint, .gpxRoutePoint, .gpxName, .gpxDescription, .gpxComment,
      .gpxLink, .gpxURL, .gpxType, .gpxTime:
      .collect
    default: .skip
    }
  }

  mutating func entered(_ word: FeedWord) {
    switch word {
    case .gpxTrack, .gpxRoute: (entry, segments, pointCount) = (FeedEntry(), [], 0)
    default: break
    }
    if word == .gpxSegment || word == .gpxRoute { segments.append([]) }
  }

  /// The track or route that is whole now.
  mutating func left(_ word: FeedWord) -> FeedEntry? {
    guard word == .gpxTrack || word == .gpxRoute, var whole = entry else { return nil }
    whole.track = FeedTrack(segments: segments.filter { !$0.isEmpty })
    (entry, segments) = (nil, [])
    return whole
  }

  /// Takes a point of the track or route that is open.
  mutating func append(_ element: ElementView, _ words: Vocabulary) {
    let point = Self.waypoint(element, words)
    guard let place = point.location, !segments.isEmpty else { return }
    segments[segments.count - 1].append(FeedTrack.Point(place, time: point.published))
    pointCount += 1
  }

  /// Takes what a track or route says of itself; returns whether one is open.
  mutating func describe(_ element: ElementView, _ words: Vocabulary) -> Bool {
    guard var open = entry else { return false }
    Self.describe(&open, element, words)
    entry = open
    return true
  }

  func exceeds(_ trackPointsMax: Int) -> Bool { pointCount > trackPointsMax }

  private static func describe(_ entry: inout FeedEntry, _ child: ElementView, _ words: Vocabulary)
  {
    switch words[child] {
    case .gpxName: entry.title = child.text.string
    case .gpxDescription: entry.summary = FeedText(.plain, child.text.string)
    case .gpxComment:
      if entry.summary == nil { entry.summary = FeedText(.plain, child.text.string) }
    case .gpxTime: entry.published = DateText.date(child.text)
    case .gpxType:
      if let term = child.text.nonemptyString { entry.categories.append(FeedCategory(term)) }
    case .gpxLink, .gpxURL: if let link = link(child, words) { entry.links.append(link) }
    default: break
    }
  }

  static func describe(_ feed: inout Feed, _ element: ElementView, _ words: Vocabulary) {
    switch words[element] {
    case .gpxName: feed.title = element.text.string
    case .gpxDescription: feed.subtitle = element.text.string
    case .gpxTime: feed.updated = DateText.date(element.text)
    case .gpxLink, .gpxURL: if let link = link(element, words) { feed.links.append(link) }
    default: break
    }
  }

  static func waypoint(_ element: ElementView, _ words: Vocabulary) -> FeedEntry {
    var entry = FeedEntry()
    var (latitude, longitude, elevation): (Double?, Double?, Double?)
    element.forEachAttribute { number, value in
      switch words[attribute: number] {
      case .lat: latitude = value.number
      case .lon: longitude = value.number
      default: break
      }
    }
    element.forEachChild { child in
      if words[child] == .gpxElevation {
        elevation = child.text.number
      } else {
        describe(&entry, child, words)
      }
    }
    entry.location = FeedLocation(latitude, longitude, elevation)
    return entry
  }

  private static func link(_ element: ElementView, _ words: Vocabulary) -> FeedLink? {
    // GPX 1.0 has the address as the text of url.
    var link = FeedLink(words[element] == .gpxURL ? element.text.string : "")
    element.forEachAttribute { number, value in
      if words[attribute: number] == .href { link.address = value.string }
    }
    element.forEachChild { child in
      switch words[child] {
      case .gpxText: link.title = child.text.nonemptyString
      case .gpxType: link.mediaType = child.text.nonemptyString
      default: break
      }
    }
    return link.address.isEmpty ? nil : link
  }
}
