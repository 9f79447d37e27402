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

  var transposed: Plane {
    values.withUnsafeBufferPointer { from in
      Plane(width: height, height: width) { x, y in from[x * width + y] }
    }
  }

  var negative: Plane {
    Plane(width: width, height: height, values: values.map { 255 - $0 })
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
    return plane.values.withUnsafeBufferPointer { pixels in
      Plane(width: wide, height: plane.height) { x, y in
        let (from, to, first, last) = spans[x]
        var total: Float = 0
        for source in first..<last {
          let share = min(Float(source + 1), to) - max(Float(source), from)
          total += pixels[y * plane.width + source] * share
        }
        return total / (to - from)
      }
    }
  }
}
