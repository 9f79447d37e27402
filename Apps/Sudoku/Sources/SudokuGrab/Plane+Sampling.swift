extension Plane {
  /// How far apart the places are that are asked for; between them they run straight.
  private static let mesh = 8

  /// A square of another picture, where a function says what of it is where in the square.
  ///
  /// Both count from the upper left corner of the first pixel. The side is a multiple of 8.
  init(side: Int, of plane: Plane, _ place: (_ x: Float, _ y: Float) -> Point) {
    let (mesh, count) = (Self.mesh, side / Self.mesh)
    let middle = Point(0.5, 0.5)
    var nodes: [Point] = []
    nodes.reserveCapacity((count + 1) * (count + 1))
    for row in 0...count {
      for column in 0...count {
        nodes.append(place(Float(column * mesh), Float(row * mesh)) - middle)
      }
    }
    self.init(
      width: side, height: side,
      values: [Float](unsafeUninitializedCapacity: side * side) { buffer, filled in
        plane.values.withUnsafeBufferPointer { source in
          for y in 0..<side {
            let down = (Float(y % mesh) + 0.5) / Float(mesh)
            let upper = y / mesh * (count + 1)
            for column in 0..<count {
              let left = nodes[upper + column].mixed(nodes[upper + count + 1 + column], down)
              let right = nodes[upper + column + 1].mixed(nodes[upper + count + 2 + column], down)
              let step = (right - left) * (1 / Float(mesh))
              var at = left + step * 0.5
              let first = y * side + column * mesh
              for i in first..<(first + mesh) {
                buffer[i] = plane.sample(at, in: source)
                at = at + step
              }
            }
          }
        }
        filled = side * side
      })
  }

  /// The value between four pixels; beyond the border that of the border.
  func sample(_ x: Float, _ y: Float) -> Float {
    values.withUnsafeBufferPointer { sample(Point(x, y), in: $0) }
  }

  @inline(__always)
  private func sample(_ point: Point, in source: UnsafeBufferPointer<Float>) -> Float {
    let x = max(0, min(point.x, Float(width &- 1)))
    let y = max(0, min(point.y, Float(height &- 1)))
    let (left, top) = (Int(x), Int(y))
    let u = x - Float(left)
    let v = y - Float(top)
    let right = left &+ (left &+ 1 < width ? 1 : 0)
    let up = top &* width
    let low = up &+ (top &+ 1 < height ? width : 0)
    let upper = source[up &+ left] + (source[up &+ right] - source[up &+ left]) * u
    let lower = source[low &+ left] + (source[low &+ right] - source[low &+ left]) * u
    return upper + (lower - upper) * v
  }
}
