/// One number for each pixel, row by row.
struct Plane: Sendable {
  let width: Int
  let height: Int
  var values: [Float]

  init(width: Int, height: Int, values: [Float]) {
    (self.width, self.height, self.values) = (width, height, values)
  }

  init(width: Int, height: Int, _ value: (_ x: Int, _ y: Int) -> Float) {
    self.init(
      width: width, height: height,
      values: [Float](unsafeUninitializedCapacity: width * height) { buffer, count in
        for y in 0..<height { for x in 0..<width { buffer[y * width + x] = value(x, y) } }
        count = width * height
      })
  }

  /// The value between four pixels; beyond the border that of the border.
  func sample(_ x: Float, _ y: Float) -> Float {
    let (x, y) = (
      max(0, min(x, Float(width - 1))), max(0, min(y, Float(height - 1)))
    )
    let (left, top) = (min(Int(x), max(0, width - 2)), min(Int(y), max(0, height - 2)))
    let (right, below) = (min(left + 1, width - 1), min(top + 1, height - 1))
    let (u, v) = (x - Float(left), y - Float(top))
    let upper = values[top * width + left] * (1 - u) + values[top * width + right] * u
    let lower = values[below * width + left] * (1 - u) + values[below * width + right] * u
    return upper * (1 - v) + lower * v
  }

  var transposed: Plane {
    Plane(width: height, height: width) { x, y in values[x * width + y] }
  }

  /// Turned clockwise by a quarter.
  var turned: Plane {
    Plane(width: height, height: width) { x, y in values[(height - 1 - x) * width + y] }
  }

  /// Smaller by a factor over 1: each pixel is the mean of what it covers.
  func shrunk(by factor: Float) -> Plane {
    guard factor > 1 else { return self }
    let wide = max(1, Int((Float(width) / factor).rounded()))
    let high = max(1, Int((Float(height) / factor).rounded()))
    let narrow = Self.shrunkRows(self, to: wide)
    return Self.shrunkRows(narrow.transposed, to: high).transposed
  }

  private static func shrunkRows(_ plane: Plane, to wide: Int) -> Plane {
    let step = Float(plane.width) / Float(wide)
    let spans = (0..<wide).map { x in
      let (from, to) = (Float(x) * step, min(Float(x + 1) * step, Float(plane.width)))
      return (from: from, to: to, first: Int(from), last: min(Int(to.rounded(.up)), plane.width))
    }
    return Plane(width: wide, height: plane.height) { x, y in
      let (from, to, first, last) = spans[x]
      var total: Float = 0
      for source in first..<last {
        let share = min(Float(source + 1), to) - max(Float(source), from)
        total += plane.values[y * plane.width + source] * share
      }
      return total / (to - from)
    }
  }
}
