/// Looks for the largest good grid of a photograph.
struct GridSearch {
  static let good: Float = 0.9
  /// From here on it is a grid, though it may be no puzzle.
  static let fair: Float = 0.85
  /// Faint or bent lines: a grid if what is read in it is a puzzle.
  static let poor: Float = 0.65
  /// A good grid of this share of the photograph ends the search.
  static let large: Float = 0.15

  let plane: Plane
  private var tried: [Quad] = []
  private var found: [FoundGrid] = []

  init(_ plane: Plane) { self.plane = plane }

  /// The grid, or nil where not even a poor one is found.
  mutating func run() -> FoundGrid? {
    for threshold in Threshold.all {
      let marks = threshold.marks(in: plane)
      for quad in Candidates.quads(of: marks, width: plane.width, height: plane.height) {
        consider(quad)
      }
      if let best, best.score > Self.good, share(best) >= Self.large { return best }
    }
    return best.flatMap { $0.score >= Self.poor ? $0 : nil }
  }

  private func share(_ grid: FoundGrid) -> Float {
    grid.quad.area / Float(plane.width * plane.height)
  }

  /// Newspapers print last week's small solution beside the puzzle: the largest good one wins.
  private var best: FoundGrid? {
    found.filter { $0.score > Self.good }.max { share($0) < share($1) }
      ?? found.max { $0.score < $1.score }
  }

  private mutating func consider(_ quad: Quad) {
    let near = Float(max(plane.width, plane.height)) / 150
    guard !tried.contains(where: { $0.isNear(quad, near) }) else { return }
    tried.append(quad)
    found.append(Straightening.grid(in: plane, quad))
  }
}
