/// How a round ended.
public struct Outcome: Equatable, Sendable {
  /// The points of each player, in the order in which they were given.
  public let points: [Int]
  /// The longest words that nobody found, of all that there were.
  public let missed: [Word]

  /// The outcome of what each found, of all the words that there were.
  public init(finds: [[Word]], words: [Word]) {
    var finders: [Word: Int] = [:]
    for found in finds { for word in Set(found) { finders[word, default: 0] += 1 } }
    points = finds.map { found in
      Set(found).reduce(0) {
        $0
          + Points.value(
            length: $1.letters.count, finders: finders[$1] ?? 1, players: finds.count)
      }
    }
    let open = words.filter { finders[$0] == nil }
    let longest = open.reduce(0) { max($0, $1.letters.count) }
    missed = Array(open.filter { $0.letters.count == longest }.sorted().prefix(5))
  }
}
