/// When a round begins.
public enum Lobby {
  /// How many may play.
  public static let players = 2...4

  /// Somebody at the table.
  public struct Guest: Equatable, Sendable {
    /// The round for which somebody is ready: the first is 1.
    public var ready: Int
    /// Whether they want to begin without those who are not ready.
    public var hurries: Bool

    /// Somebody who is ready for a round.
    public init(ready: Int, hurries: Bool = false) {
      (self.ready, self.hurries) = (ready, hurries)
    }
  }

  /// The guests who play the round with that number, as indices; nil if it does not begin yet. A
  /// bot is one player more.
  ///
  /// It begins when all are ready, or when those who are do not want to wait.
  public static func starters(of guests: [Guest], round: Int, withBot: Bool) -> [Int]? {
    let ready = guests.indices.filter { guests[$0].ready == round }
    let most = players.upperBound - (withBot ? 1 : 0)
    let starters = Array(ready.prefix(most))
    guard !starters.isEmpty, starters.count + (withBot ? 1 : 0) >= players.lowerBound else {
      return nil
    }
    let isComplete = ready.count == guests.count || starters.count == most
    return isComplete || starters.contains { guests[$0].hurries } ? starters : nil
  }
}
