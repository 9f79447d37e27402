/// The way through rows of values that gathers the most, where each step aside costs.
struct Path {
  /// For each row the place on it.
  private let places: [Int]

  /// Finds it by dynamic programming.
  ///
  /// - Parameters:
  ///   - values: What each place gives.
  ///   - rows: Where each row begins among the values.
  ///   - width: How long a row is.
  ///   - jump: What each place costs that it goes aside, at most two from one row to the next.
  ///   - slack: How far from the middle it may begin and end; anywhere, if nil.
  init(
    through values: [Float], _ rows: [Int], width: Int, jump: Float, endsWithin slack: Int? = nil
  ) {
    let middle = width / 2
    let ends = slack.map { (middle - $0)...(middle + $0) } ?? 0...(width - 1)
    // Two places more on each side, which no path takes.
    var best = [Float](repeating: -.infinity, count: width + 4)
    for place in ends { best[place + 2] = 0 }
    var next = best
    var from = [Int8](repeating: 0, count: rows.count * width)
    values.withUnsafeBufferPointer { values in
      for (number, row) in rows.enumerated() {
        for place in 0..<width {
          var (most, aside) = (best[place &+ 2], 0 as Int8)
          for (total, by) in [
            (best[place &+ 1] - jump, -1 as Int8), (best[place &+ 3] - jump, 1),
            (best[place] - 2 * jump, -2), (best[place &+ 4] - 2 * jump, 2),
          ] where total > most {
            (most, aside) = (total, by)
          }
          next[place &+ 2] = most + values[row &+ place]
          from[number &* width &+ place] = aside
        }
        swap(&best, &next)
      }
    }
    var at = ends.max { best[$0 + 2] < best[$1 + 2] } ?? middle
    var places = [Int](repeating: 0, count: rows.count)
    for number in rows.indices.reversed() {
      places[number] = at
      at += Int(from[number * width + at])
    }
    self.places = places
  }

  /// How far from a place each is.
  func offsets(_ middle: Int) -> [Float] { places.map { Float($0 - middle) } }
}
