/// How far back a feed goes, as its documents showed it so far: what it names no more within that was
/// withdrawn, and what is older went out of it by age.
///
/// Times are seconds since 1970.
struct FeedReach: Codable, Equatable, Sendable {
  /// The greatest age that a quake had which the feed named.
  private(set) var seconds = 0.0
  /// When the newest quake was that it ever named.
  private(set) var newest = 0.0
  /// How many quakes the last document named.
  private(set) var count = 0
  /// The words of the last document's title; nil if none was read.
  private(set) var words: String?

  /// Takes a whole document, and gives the time after which what it does not name was withdrawn.
  ///
  /// A document of another title may be another feed, so that it says nothing of what this one named.
  mutating func take(_ document: FeedDocument) -> Double {
    let isOther = words.map { $0 != document.words } ?? false
    if isOther { self = FeedReach() }
    words = document.words
    newest = max(newest, document.times.max() ?? 0)
    // A time that is older than what the feed names says nothing, such as one that never changes.
    let trusted = document.updated.flatMap { $0 >= newest ? $0 : nil }
    let madeAt = trusted ?? max(document.now, newest)
    // All after the oldest one is covered in any case.
    let oldest = document.times.min() ?? .infinity
    seconds = max(seconds, madeAt - oldest)
    let before = count
    count = document.times.count
    if isOther { return oldest }
    if let named = document.spanSeconds { return min(oldest, madeAt - named + Self.slack) }
    // A feed of the last N quakes drops its oldest for each new one, and names as many as before.
    if count >= max(before, Self.lastMin) { return oldest }
    return min(oldest, madeAt - Self.usual(seconds))
  }

  /// Feeds are made anew each minute.
  private static let slack = 120.0
  /// No feed names only the last few.
  private static let lastMin = 10

  /// The shortest usual span that holds an age.
  private static func usual(_ seconds: Double) -> Double {
    let hours: [Double] = [1, 2, 3, 6, 12, 24, 48, 72, 168, 336, 720, 744, 2160, 8784]
    return hours.map { $0 * 3600 }.first { seconds <= $0 } ?? seconds
  }
}

/// What a whole document of a feed says of when it was made and of what.
struct FeedDocument: Sendable {
  /// When it says that it was made; nil where it does not.
  let updated: Double?
  /// When it was read.
  let now: Double
  /// When each of its quakes was.
  let times: [Double]
  /// The span that its title names, as "past day" does; nil for none.
  let spanSeconds: Double?
  /// The words of its title, without its numbers, which count and date what it holds.
  let words: String

  init(title: String, updated: Double?, now: Double, times: [Double]) {
    (self.updated, self.now, self.times) = (updated, now, times)
    spanSeconds = Self.span(in: title)
    words = title.lowercased().filter { $0.isLetter || $0 == " " }
  }

  private static let units: [Substring: Double] = [
    "hour": 3600, "day": 86_400, "week": 604_800, "month": 2_592_000,
  ]

  /// "past hour", "Past 7 Days", "last 24 hours".
  private static func span(in title: String) -> Double? {
    let text = title.lowercased()
    let words = text.split { !$0.isLetter && !$0.isNumber }
    for at in words.indices where words[at] == "past" || words[at] == "last" {
      var rest = words[(at + 1)...]
      let number = rest.first.flatMap { Double($0) }
      if number != nil { rest.removeFirst() }
      guard let word = rest.first, (1...400).contains(number ?? 1),
        let unit = units[word.hasSuffix("s") ? word.dropLast() : word]
      else { continue }
      return unit * (number ?? 1)
    }
    return nil
  }
}
