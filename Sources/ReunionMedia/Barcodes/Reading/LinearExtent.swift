/// How far the bars of a linear code reach across the line by which it was read.
///
/// From that line on the profile of dark and light is followed to both sides, as long as each one
/// resembles the one before it.
struct LinearExtent {
  private let picture: GreyPicture
  private static let samples = 160
  private static let resemblance = 0.6

  init(_ picture: GreyPicture) {
    self.picture = picture
  }

  /// The corners of the whole code, for corners on a scan line in pixels of the picture.
  func corners(of corners: [Barcode.Point]) -> [Barcode.Point] {
    guard corners.count == 4 else { return corners }
    let (topLeft, topRight, bottomRight, bottomLeft) = (
      corners[0], corners[1], corners[2], corners[3]
    )
    let up = follow(topLeft, topRight, direction: -1)
    let down = follow(bottomLeft, bottomRight, direction: 1)
    return [up.left, up.right, down.right, down.left]
  }

  private func follow(
    _ left: Barcode.Point, _ right: Barcode.Point, direction: Double
  ) -> (left: Barcode.Point, right: Barcode.Point) {
    let (dx, dy) = (right.x - left.x, right.y - left.y)
    let length = (dx * dx + dy * dy).squareRoot()
    guard length >= 16 else { return (left, right) }
    // Across the line, away from the other side, one pixel a step.
    let (stepX, stepY) = (-dy / length * direction, dx / length * direction)
    let (alongX, alongY) = (dx / length, dy / length)
    var (best, shift, misses) = (0, 0.0, 0)
    var bestShift = 0.0
    var last = profile(left, dx, dy)
    var step = 1
    while misses < 3, Double(step) < length {
      var closest = (resemblance: -1.0, profile: [Double](), shift: 0.0)
      for slip in [0.0, -1, 1] {
        let moved = shift + slip
        let start = Barcode.Point(
          x: left.x + stepX * Double(step) + alongX * moved,
          y: left.y + stepY * Double(step) + alongY * moved)
        guard start.x >= 0, start.y >= 0, start.x < Double(picture.width),
          start.y < Double(picture.height)
        else { continue }
        let profile = profile(start, dx, dy)
        let resemblance = zip(profile, last).reduce(0) { $0 + $1.0 * $1.1 }
        // A tie goes straight on.
        if resemblance > closest.resemblance + (slip == 0 ? 0 : 0.02) {
          closest = (resemblance, profile, moved)
        }
      }
      if closest.resemblance >= Self.resemblance {
        (best, bestShift, misses) = (step, closest.shift, 0)
        (last, shift) = (closest.profile, closest.shift)
      } else {
        misses += 1
      }
      step += 1
    }
    let move = (
      x: stepX * Double(best) + alongX * bestShift, y: stepY * Double(best) + alongY * bestShift
    )
    return (
      Barcode.Point(x: left.x + move.x, y: left.y + move.y),
      Barcode.Point(x: right.x + move.x, y: right.y + move.y)
    )
  }

  /// Greys along a line, as deviations from their mean with a sum of squares of one.
  private func profile(_ start: Barcode.Point, _ dx: Double, _ dy: Double) -> [Double] {
    var values = (0..<Self.samples).map { at -> Double in
      let part = Double(at) / Double(Self.samples - 1)
      let x = min(max(Int(start.x + dx * part), 0), picture.width - 1)
      let y = min(max(Int(start.y + dy * part), 0), picture.height - 1)
      return Double(picture.pixels[y * picture.width + x])
    }
    let mean = values.reduce(0, +) / Double(values.count)
    var squares = 0.0
    for at in values.indices {
      values[at] -= mean
      squares += values[at] * values[at]
    }
    let scale = squares > 1 ? 1 / squares.squareRoot() : 0
    for at in values.indices { values[at] *= scale }
    return values
  }
}
