/// The four sides of a grid, followed from corner to corner.
///
/// On much bent paper an inner line lies nearer to the place of another one than to its own; a side
/// begins and ends at corners that are known.
struct Frame {
  /// Pixels of a cell in the picture in which it is followed, the same as a straightened one's.
  private static let cell = 36
  private static let margin = (Straightening.side - 9 * cell) / 2
  private static let reach = 54
  private static let step = 4
  private static let sampleCount = 9 * cell / step + 1
  /// How far a corner may be from where the quad has it.
  private static let slack = 6

  /// Of the left, right, upper and lower side, how far it is from a straight one, in cells.
  private let left, right, upper, lower: [Float]

  /// Follows them in a picture, where a function says what of it is where on the grid, both 0 to 1.
  init(in plane: Plane, _ place: (_ u: Float, _ v: Float) -> Point) {
    let side = Straightening.side
    let flat = Plane(width: side, height: side) { x, y in
      let point = place(
        (Float(x) + 0.5 - Float(Self.margin)) / Float(9 * Self.cell),
        (Float(y) + 0.5 - Float(Self.margin)) / Float(9 * Self.cell))
      return plane.sample(point.x - 0.5, point.y - 0.5)
    }
    let dark = flat.darkness(Self.cell * 45 / 200)
    let upright = Straightening.response(dark, 12)
    (left, right) = (Self.followed(0, upright), Self.followed(9, upright))
    let lying = Straightening.response(dark.transposed, 12)
    (upper, lower) = (Self.followed(0, lying), Self.followed(9, lying))
  }

  /// How far a place of the grid, both 0 to 1, is from where it would be on flat paper, in cells.
  func shift(_ u: Float, _ v: Float) -> (across: Float, down: Float) {
    let (across, down) = (max(0, min(1, u)), max(0, min(1, v)))
    return (
      Self.at(left, down) * (1 - across) + Self.at(right, down) * across,
      Self.at(upper, across) * (1 - down) + Self.at(lower, across) * down
    )
  }

  private static func at(_ offsets: [Float], _ share: Float) -> Float {
    let place = share * Float(sampleCount - 1)
    let first = min(Int(place), sampleCount - 2)
    let rest = place - Float(first)
    return offsets[first] * (1 - rest) + offsets[first + 1] * rest
  }

  /// The path of the most response between two corners; each pixel that it jumps aside costs.
  private static func followed(_ line: Int, _ response: Plane) -> [Float] {
    let width = 2 * reach + 1
    var best = (0..<width).map { abs($0 - reach) <= slack ? 0 : -Float.infinity }
    var from: [[Int]] = []
    for sample in 0..<sampleCount {
      let row = (margin + sample * step) * Straightening.side + margin + line * cell - reach
      var next = best
      var origin = [Int](repeating: 0, count: width)
      for offset in 0..<width {
        var (most, at) = (-Float.infinity, offset)
        for other in max(0, offset - 2)...min(width - 1, offset + 2) {
          let total = best[other] - 0.4 * Float(abs(other - offset))
          if total > most { (most, at) = (total, other) }
        }
        next[offset] = most + response.values[row + offset]
        origin[offset] = at
      }
      best = next
      from.append(origin)
    }
    var at = (reach - slack...reach + slack).max { best[$0] < best[$1] } ?? reach
    var path = [Float](repeating: 0, count: sampleCount)
    for sample in (0..<sampleCount).reversed() {
      path[sample] = Float(at - reach) / Float(cell)
      at = from[sample][at]
    }
    return path.indices.map { sample in
      let near = path[max(0, sample - 4)...min(sampleCount - 1, sample + 4)]
      return near.reduce(0, +) / Float(near.count)
    }
  }
}
