import ReunionFlow

/// How often those may try to come in whom this device does not know: five times a minute, all together,
/// since a stranger has as many addresses as it likes.
///
/// A try is to come by a code or an invitation, and counts from its begin, however it ends; who turns out
/// to be right gets it back. A known peer has proved who it is with its key, and needs none.
struct StrangerLimit {
  static let triesMax = 5
  static let window = Duration.seconds(60)
  /// How many may be in a greeting at once.
  static let inboundMax = 16
  /// How long a code may be compared. So at most 15 are at theirs at once.
  static let codeLimit = Duration.seconds(180)

  /// By the number of a connection.
  private var tries: [(number: Int, start: Moment)] = []

  /// Whether a connection may try now; then the try counts.
  mutating func mayTry(_ number: Int, at now: Moment) -> Bool {
    tries.removeAll { $0.start.duration(to: now) >= Self.window }
    guard tries.count < Self.triesMax else { return false }
    tries.append((number, now))
    return true
  }

  /// The stranger of a connection was right.
  mutating func giveBack(_ number: Int) { tries.removeAll { $0.number == number } }
}
