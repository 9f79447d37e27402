import Testing

@testable import Quakes

/// What a feed names no more was withdrawn, or is too old for it: which of both, its span decides.
@Suite struct FeedReachTests {
  /// The documents of a feed: when each was made, and the ages of its quakes then, in hours.
  private static let day = 1_800_000_000.0

  static func document(
    _ title: String, at hour: Double, quakes: [Double], updated: Double? = nil, hasTime: Bool = true
  ) -> FeedDocument {
    FeedDocument(
      title: title, updated: hasTime ? day + (updated ?? hour) * 3600 : nil,
      now: day + hour * 3600, times: quakes.map { day + $0 * 3600 })
  }

  /// Whether a quake of an hour is withdrawn by the last of some documents that does not name it.
  static func isWithdrawn(_ hour: Double, by documents: [FeedDocument]) -> Bool {
    var reach = FeedReach()
    var start = Double.infinity
    for document in documents { start = reach.take(document) }
    return day + hour * 3600 > start
  }

  @Test(arguments: ["Significant quakes, past day", "M4.5+", "Quakes of the last 24 hours", ""])
  func `the last quake of a feed is withdrawn by an empty document`(title: String) {
    for (later, updated) in [(1.0, nil), (1.5, nil), (1.5, 1.0)] as [(Double, Double?)] {
      #expect(
        Self.isWithdrawn(
          0.6,
          by: [
            Self.document(title, at: 1, quakes: [0.6]),
            Self.document(title, at: later, quakes: [], updated: updated),
          ]), "\(title), \(later)")
    }
  }

  @Test(arguments: ["Quakes, Past Day", "Quakes"])
  func `the oldest quake of a feed is withdrawn where it names fewer`(title: String) {
    let documents = [
      Self.document(title, at: 10, quakes: [1, 5, 9]),
      Self.document(title, at: 10.1, quakes: [5, 9]),
    ]
    #expect(Self.isWithdrawn(1, by: documents))
    // Control: one that names as many may have dropped it for another.
    let full = (1...12).map { Double($0) / 2 }
    #expect(
      Self.isWithdrawn(
        0.5,
        by: [
          Self.document(title, at: 10, quakes: full),
          Self.document(title, at: 10.1, quakes: full.dropFirst() + [10]),
        ]) == (title == "Quakes, Past Day"))
  }

  @Test(arguments: [
    ("all, past hour", 1.0), ("All Earthquakes, Past Day", 24), ("Past 7 Days", 168),
    ("quakes of the last 24 hours", 24), ("Past 30 Days", 720), ("past month", 720),
    ("Past week: the last 3 days", 168),
  ]) func `what is older than the span of its title stays`(title: String, hours: Double) {
    let documents = [
      Self.document(title, at: hours, quakes: [0.001]),
      Self.document(title, at: hours + 0.1, quakes: []),
    ]
    #expect(!Self.isWithdrawn(0.001, by: documents))
    #expect(Self.isWithdrawn(0.3, by: documents))
  }

  @Test(arguments: ["", "Last 5 quakes", "Past Tense", "last 0 days", "past 99999 days", "past"])
  func `without a span in its title a feed goes as far back as it did, to a usual one`(
    title: String
  ) {
    let documents = [
      Self.document(title, at: 20, quakes: [1, 15]), Self.document(title, at: 30, quakes: [15]),
    ]
    // At 20 hours it went back 19, so that it is a day's. What was at 1 is older than that at 30.
    #expect(!Self.isWithdrawn(1, by: documents))
    #expect(Self.isWithdrawn(7, by: documents))
  }

  @Test func `a feed of the last so many drops its oldest, and withdraws nothing by that`() {
    let first = (0..<50).map { Double($0) / 10 }
    let second = first.dropFirst(3) + [5.1, 5.2, 5.3]
    let documents = [
      Self.document("Latest quakes", at: 5.3, quakes: first),
      Self.document("Latest quakes", at: 5.4, quakes: Array(second)),
    ]
    #expect(!Self.isWithdrawn(0.1, by: documents))
    // What it goes back beyond is withdrawn all the same.
    #expect(Self.isWithdrawn(2.55, by: documents))
    // Control: where it names fewer, the oldest is withdrawn.
    #expect(
      Self.isWithdrawn(
        0.1,
        by: [
          documents[0], Self.document("Latest quakes", at: 5.4, quakes: Array(second.dropFirst(4))),
        ]
      ))
  }

  @Test func `a time that never changes, or is none, says nothing of when a document was made`() {
    for hasTime in [true, false] {
      func document(_ hour: Double, _ quakes: [Double]) -> FeedDocument {
        Self.document("past day", at: hour, quakes: quakes, updated: -9000, hasTime: hasTime)
      }
      let documents = [document(20, [1, 15]), document(40, [17.5])]
      #expect(!Self.isWithdrawn(15, by: documents))
      #expect(Self.isWithdrawn(16.5, by: documents))
      // A clock that is behind withdraws no more than a right one.
      #expect(!Self.isWithdrawn(-8, by: documents + [document(-50_000, [17.5])]))
    }
  }

  @Test func `a document of another title withdraws nothing of what was before it`() {
    let first = Self.document("2 quakes, past day", at: 10, quakes: [1, 9])
    let other = Self.document("Elsewhere", at: 10.1, quakes: [10])
    #expect(!Self.isWithdrawn(9, by: [first, other]))
    // The one after it does; and a title that counts or dates is the same.
    let later = Self.document("Elsewhere", at: 10.2, quakes: [])
    #expect(Self.isWithdrawn(10, by: [first, other, later]))
    #expect(
      Self.isWithdrawn(
        9, by: [first, Self.document("1 quakes, past day", at: 10.1, quakes: [1])]))
  }

  @Test func `the greatest age stays, and the count is that of the last document`() {
    var reach = FeedReach()
    _ = reach.take(Self.document("", at: 20, quakes: [1, 15]))
    #expect(reach.seconds == 19 * 3600 && reach.count == 2)
    _ = reach.take(Self.document("", at: 21, quakes: []))
    #expect(reach.seconds == 19 * 3600 && reach.count == 0)
  }
}
