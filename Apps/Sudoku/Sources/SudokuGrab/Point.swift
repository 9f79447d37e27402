/// A place in a picture, x to the right and y down, in pixels.
public struct Point: Hashable, Sendable {
  /// To the right.
  public var x: Float
  /// Down.
  public var y: Float

  /// A place.
  public init(_ x: Float, _ y: Float) { (self.x, self.y) = (x, y) }

  static func + (a: Point, b: Point) -> Point { Point(a.x + b.x, a.y + b.y) }
  static func - (a: Point, b: Point) -> Point { Point(a.x - b.x, a.y - b.y) }
  static func * (a: Point, b: Float) -> Point { Point(a.x * b, a.y * b) }
  func mixed(_ b: Point, _ share: Float) -> Point { self + (b - self) * share }
  func cross(_ b: Point) -> Float { x * b.y - y * b.x }
  func dot(_ b: Point) -> Float { x * b.x + y * b.y }
  var length: Float { dot(self).squareRoot() }
}

/// Four corners, clockwise on the screen, from the one at the top left.
struct Quad: Sendable {
  var corners: [Point]

  var area: Float {
    abs((0..<4).reduce(0) { $0 + corners[$1].cross(corners[($1 + 1) % 4]) }) / 2
  }

  /// Whether it may be a square seen from aside.
  var isLikely: Bool {
    let sides = (0..<4).map { corners[($0 + 1) % 4] - corners[$0] }
    let lengths = sides.map(\.length)
    guard let least = lengths.min(), let most = lengths.max(), least > 20, most <= 2.2 * least
    else { return false }
    return (0..<4).allSatisfy {
      abs(sides[$0].dot(sides[($0 + 1) % 4])) <= 0.6 * lengths[$0] * lengths[($0 + 1) % 4]
    }
  }

  func isNear(_ other: Quad, _ distance: Float) -> Bool {
    zip(corners, other.corners).allSatisfy { ($0 - $1).length < distance }
  }

  /// The projection of the unit square onto it.
  var projection: (_ u: Float, _ v: Float) -> Point {
    let (a, b, c, d) = (corners[0], corners[1], corners[2], corners[3])
    let (e, f, g) = (b - c, d - c, a - b + c - d)
    let whole = e.cross(f)
    let (h, k) = (g.cross(f) / whole, e.cross(g) / whole)
    let (p, q) = (b - a + b * h, d - a + d * k)
    return { u, v in
      let depth = 1 + h * u + k * v
      return (a + p * u + q * v) * (1 / depth)
    }
  }
}
