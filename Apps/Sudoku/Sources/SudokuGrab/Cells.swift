/// The cells of a found grid, straightened, as the net reads them.
struct Cells {
  static let side = 9 * Net.side
  /// How dark each pixel is, in shares of the ink's darkness, 0 to 1.5.
  private(set) var plane: Plane

  init(of grid: FoundGrid, in green: Plane) {
    let size = (grid.quad.area).squareRoot() / 9 / Float(Net.side)
    let from = size > 1.2 ? green.shrunk(by: size) : green
    let (wide, high) = (
      Float(from.width) / Float(green.width), Float(from.height) / Float(green.height)
    )
    let picture = Plane(width: Self.side, height: Self.side) { x, y in
      let (column, row) = (x / Net.side, y / Net.side)
      let u = (Float(x % Net.side) + 0.5) / Float(Net.side)
      let v = (Float(y % Net.side) + 0.5) / Float(Net.side)
      let (a, b) = (grid.nodes[row * 10 + column], grid.nodes[row * 10 + column + 1])
      let (c, d) = (grid.nodes[row * 10 + column + 10], grid.nodes[row * 10 + column + 11])
      let point = (a * (1 - u) + b * u) * (1 - v) + (c * (1 - u) + d * u) * v
      return from.sample(point.x * wide - 0.5, point.y * high - 0.5)
    }
    let dark = picture.darkness(7)
    var inner: [Float] = []
    for y in 0..<Self.side where (5..<23).contains(y % Net.side) {
      for x in 0..<Self.side where (5..<23).contains(x % Net.side) {
        inner.append(dark.values[y * Self.side + x])
      }
    }
    inner.sort()
    let ink = max(0.03, inner[inner.count * 98 / 100])
    plane = Plane(width: Self.side, height: Self.side) { x, y in
      min(1.5, dark.values[y * Self.side + x] / ink)
    }
  }

  mutating func turn() { plane = plane.turned }

  subscript(cell: Int) -> [Float] {
    let (left, top) = (cell % 9 * Net.side, cell / 9 * Net.side)
    return (0..<Net.side).flatMap { y in
      let start = (top + y) * Self.side + left
      return plane.values[start..<(start + Net.side)]
    }
  }

  /// The cells with the most ink in their middle: as many, in order.
  func inked(_ count: Int) -> [Int] {
    let ink = (0..<81).map { cell in
      let (left, top) = (cell % 9 * Net.side, cell / 9 * Net.side)
      return (7..<21).reduce(0 as Float) { total, y in
        let start = (top + y) * Self.side + left
        return plane.values[(start + 7)..<(start + 21)].reduce(total, +)
      }
    }
    return ink.indices.sorted { (ink[$0], $0) > (ink[$1], $1) }.prefix(count).sorted()
  }

  /// For each cell the logarithm of how likely it is empty, or 1 to 9.
  func likelihoods(of cells: some Sequence<Int> = 0..<81, by nets: [Net]) -> [[Float]] {
    cells.map { cell in
      let pixels = self[cell]
      var total = [Float](repeating: 0, count: 10)
      for net in nets {
        let scores = net.scores(pixels)
        let most = scores.max() ?? 0
        let odds = scores.map { exponential($0 - most) }
        let share = 1 / (odds.reduce(0, +) * Float(nets.count))
        for i in 0..<10 { total[i] += odds[i] * share }
      }
      return total.map { logarithm(max($0, 1e-9)) }
    }
  }
}
