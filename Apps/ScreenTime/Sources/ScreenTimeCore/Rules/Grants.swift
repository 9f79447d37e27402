/// What was granted, by whomever, and however often it arrived.
///
/// Two parents who answer the same request apart grant it once, and the longer answer stands. Answers to
/// different requests add up, and so do gifts that nobody asked for.
public struct Grants: Sendable {
  private var byID: [String: Grant] = [:]
  #if SEEDED_BUGS
    var bug: GrantBug?
  #endif

  /// None.
  public init() {}

  /// Takes a grant, or what is known of it now.
  public mutating func take(_ grant: Grant) {
    if seeded(.lastOneStands) { byID = [:] }
    byID[grant.id] = grant
  }

  /// What counts: one grant for each request, and each gift.
  var standing: [Grant] {
    var answers: [String: Grant] = [:]
    var standing: [Grant] = []
    for grant in byID.values.sorted(by: { $0.id < $1.id }) where grant.minutes > 0 {
      if grant.request.isEmpty || seeded(.eachAnswerCounts) {
        standing.append(grant)
      } else if let other = answers[grant.request], !Self.beats(grant, other) {
        continue
      } else {
        answers[grant.request] = grant
      }
    }
    return standing + answers.keys.sorted().compactMap { answers[$0] }
  }

  /// Whether a test has that bug switched on.
  private func seeded(_ bug: GrantBug) -> Bool {
    #if SEEDED_BUGS
      self.bug == bug
    #else
      false
    #endif
  }

  private static func beats(_ one: Grant, _ other: Grant) -> Bool {
    (one.minutes, one.at, one.id) > (other.minutes, other.at, other.id)
  }

  /// The minutes more of a day that a budget has.
  func minutes(on day: Day, offset: Int, for category: String?) -> Int {
    var sum = 0
    for grant in standing where grant.day(offset) == day {
      let counts =
        switch grant.target {
        case .day: true
        case .category(let name): category == nil || category == name
        case .rest: false
        }
      if counts { sum = min(sum + min(grant.minutes, 1440), 1440) }
    }
    return sum
  }

  /// Until when a rest that began may be put off, in milliseconds since 1970, by what was granted since a
  /// moment.
  func until(rest: String, from start: Int64, to end: Int64, since: Int64) -> Int64 {
    // What was granted before it began counts from its beginning.
    var reached = start
    let mine = standing.filter { $0.target == .rest(rest) }.sorted {
      ($0.at, $0.id) < ($1.at, $1.id)
    }
    for grant in mine where grant.at < end && grant.at >= since {
      reached = max(reached, grant.at).plus(Int64(min(grant.minutes, 1440)) * 60_000)
    }
    return reached
  }
}

/// A bug that a test switches on, and must catch.
enum GrantBug: CaseIterable, Sendable { case lastOneStands, eachAnswerCounts }
