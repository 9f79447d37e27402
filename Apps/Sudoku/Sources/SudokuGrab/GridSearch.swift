/// Looks for the largest good grid of a photograph.
struct GridSearch {
  static let good: Float = 0.9
  /// From here on it is a grid, though it may be no puzzle.
  static let fair: Float = 0.85
  /// Faint or bent lines: a grid if what is read in it is a puzzle.
  static let poor: Float = 0.65
  /// A good grid of this share of the photograph ends the search.
  static let large: Float = 0.15
  /// How often a grid is looked for at nearly one place.
  private static let triesMax = 3

  /// By how much another grid is better than one that was read.
  private static let worthReading: Float = 0.03

  let plane: Plane
  /// How often lines may still be followed; below 0 where the last quad took more.
  private(set) var passes: Int
  private var thresholds = Threshold.all[...]
  private var tried: [Quad] = []
  private var found: [FoundGrid] = []
  private var offered: Float = 0

  /// Begins a search that ends after some passes: its work is bounded, and the same on each run.
  init(_ plane: Plane, passesMax: Int) { (self.plane, passes) = (plane, passesMax) }

  /// Where something is most like a grid; nil where nothing is.
  var likeliest: Quad? { best.flatMap { $0.score > Straightening.paper ? $0.quad : nil } }

  /// The next grid that is better than those before, to be read; the last one is the best.
  mutating func next() -> FoundGrid? {
    while let threshold = thresholds.popFirst(), passes > 0 {
      let marks = threshold.marks(in: plane)
      for quad in Candidates.quads(of: marks, width: plane.width, height: plane.height) {
        consider(quad)
      }
      guard let best, share(best) >= Self.large else { continue }
      if best.score > Self.good { thresholds = [] }
      if let offer = offer(best, ahead: Self.worthReading) { return offer }
    }
    thresholds = []
    return best.flatMap { offer($0, ahead: 0) }
  }

  private mutating func offer(_ grid: FoundGrid, ahead: Float) -> FoundGrid? {
    guard grid.score >= Self.poor, abs(grid.score - offered) > ahead else { return nil }
    offered = grid.score
    return grid
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
    let halfCell = quad.area.squareRoot() / 18
    guard passes > 0, !tried.contains(where: { $0.isNear(quad, near) }),
      tried.count(where: { $0.isNear(quad, halfCell) }) < Self.triesMax,
      !found.contains(where: { $0.score > Self.good && $0.quad.isNear(quad, halfCell) })
    else { return }
    tried.append(quad)
    let grid = Straightening.grid(in: plane, quad)
    passes -= grid.passes
    found.append(grid)
  }
}
