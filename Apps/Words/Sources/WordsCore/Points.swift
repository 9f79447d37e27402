/// What words are worth.
public enum Points {
  private static let table = [0, 0, 0, 1, 2, 4, 6, 9, 12, 16]

  /// What a word counts while the round runs: the more, the longer it is.
  public static func base(length: Int) -> Int {
    table[min(max(length, 0), table.count - 1)]
  }

  /// What it counts at the end: its points once, and once more for each player who missed it. So a word that
  /// only one has counts as many times as there are players, and one that all have counts once.
  public static func value(length: Int, finders: Int, players: Int) -> Int {
    base(length: length) * (max(players - finders, 0) + 1)
  }
}
