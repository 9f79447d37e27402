/// The four sides of a grid, followed from corner to corner.
///
/// On much bent paper an inner line lies nearer to the place of another one than to its own; a side
/// begins and ends at corners that are known.
struct Frame {
  /// Pixels of a cell in the picture in which it is followed, the same as a straightened one's.
  private static let cell = 36
  private static let margin = 76
  private static let reach = 54
  private static let step = Straightening.step
  private static let sampleCount = 9 * cell / step + 1
  /// How far a corner may be from where the quad has it.
  private static let slack = 6

  /// Of the left, right, upper and lower side, how far it is from a straight one, in cells.
  private let left, right, upper, lower: [Float]

  /// Follows them in a picture, where a function says what of it is where on the grid, both 0 to 1.
  init(in plane: Plane, _ place: (_ u: Float, _ v: Float) -> Point) {
    let flat = Plane(side: Straightening.side, of: plane) { x, y in
      place(
        (x - Float(Self.margin)) / Float(9 * Self.cell),
        (y - Float(Self.margin)) / Float(9 * Self.cell))
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
    let rows = (0..<sampleCount).map {
      (margin / step + $0) * Straightening.side + margin + line * cell - reach
    }
    let path = Path(
      through: response.values, rows, width: 2 * reach + 1, jump: 0.4, endsWithin: slack
    ).offsets(reach).map { $0 / Float(cell) }
    return path.indices.map { sample in
      let near = path[max(0, sample - 4)...min(sampleCount - 1, sample + 4)]
      return near.reduce(0, +) / Float(near.count)
    }
  }
}
