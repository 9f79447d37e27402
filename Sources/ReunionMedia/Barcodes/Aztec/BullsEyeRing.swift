#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The square that a ring of a bull's eye makes in a photograph, seen askew.
struct BullsEyeRing {
  typealias Point = Barcode.Point

  private static let rayCount = 128
  /// How far each corner of the square is from the middle, in modules along both sides.
  let halfModules: Double
  private(set) var corners: [Point]

  /// The ring as if seen from farther away: 1 from so far that sides which are parallel look it.
  ///
  /// How the sides of so small a square lean is known badly, and doubtful far from it.
  func seenFrom(afar part: Double) -> BullsEyeRing {
    let (x, y) = (corners.reduce(0) { $0 + $1.x } / 4, corners.reduce(0) { $0 + $1.y } / 4)
    var ring = self
    ring.corners = corners.indices.map { at in
      let (corner, opposite) = (corners[at], corners[(at + 2) % 4])
      let flat = Point(x: x + (corner.x - opposite.x) / 2, y: y + (corner.y - opposite.y) / 2)
      return Point(
        x: corner.x + (flat.x - corner.x) * part, y: corner.y + (flat.y - corner.y) * part)
    }
    return ring
  }

  /// The outermost ring whose edges are there in all directions; nil if there is none.
  init?(around eye: BullsEyes.Eye, in black: GreyPicture) {
    let rays = (0..<Self.rayCount).map { at in
      Self.edges(from: eye, radians: Double(at) * 2 * .pi / Double(Self.rayCount), in: black)
    }
    // The middle of a light ring, between its two edges, is where it is however thick the ink is.
    guard let inner = Self.square(eye, rays, edge: 2) else { return nil }
    guard let outer = Self.square(eye, rays, edge: 4),
      zip(inner, outer).allSatisfy({ inside, outside in
        let (near, far) = (eye.distance(to: inside), eye.distance(to: outside))
        return far > near * 1.45 && far < near * 1.95
      })
    else {
      (halfModules, corners) = (3, inner)
      return
    }
    (halfModules, corners) = (5, outer)
  }

  /// Distances at which dark and light change along a ray, six at most.
  private static func edges(
    from eye: BullsEyes.Eye, radians: Double, in black: GreyPicture
  ) -> [Double] {
    var edges: [Double] = []
    let (dx, dy) = (cos(radians), sin(radians))
    var (distance, isDark) = (0.0, true)
    while edges.count < 6, distance < eye.modulePixels * 14 {
      let (x, y) = (Int(eye.x + dx * distance + 0.5), Int(eye.y + dy * distance + 0.5))
      guard x >= 0, y >= 0, x < black.width, y < black.height else { break }
      if (black.pixels[y * black.width + x] == 0) != isDark {
        isDark.toggle()
        edges.append(distance)
      }
      distance += 0.25
    }
    return edges
  }

  /// The corners of the square half way between an edge and the next one.
  private static func square(
    _ eye: BullsEyes.Eye, _ rays: [[Double]], edge: Int
  ) -> [Point]? {
    var points: [Point] = []
    for (at, ray) in rays.enumerated() where ray.count > edge + 1 {
      let radians = Double(at) * 2 * .pi / Double(rayCount)
      let distance = (ray[edge] + ray[edge + 1]) / 2
      points.append(Point(x: eye.x + cos(radians) * distance, y: eye.y + sin(radians) * distance))
    }
    guard points.count >= rayCount * 9 / 10,
      let first = points.indices.max(by: {
        eye.distance(to: points[$0]) < eye.distance(to: points[$1])
      }),
      let third = points.indices.max(by: {
        points[first].squaredDistance(to: points[$0])
          < points[first].squaredDistance(to: points[$1])
      })
    else { return nil }
    func side(_ point: Point) -> Double {
      (points[third].x - points[first].x) * (point.y - points[first].y)
        - (points[third].y - points[first].y) * (point.x - points[first].x)
    }
    guard let second = points.indices.max(by: { side(points[$0]) < side(points[$1]) }),
      let fourth = points.indices.min(by: { side(points[$0]) < side(points[$1]) }),
      Set([first, second, third, fourth]).count == 4
    else { return nil }
    let order = [first, second, third, fourth].sorted()
    let lines = order.indices.map { at -> Line? in
      let (from, to) = (order[at], order[(at + 1) % 4])
      let count = (to - from + points.count) % points.count
      // What is near a corner may belong to the other side.
      let inset = max(1, count / 8)
      guard count - 2 * inset >= 4 else { return nil }
      return Line(through: (inset...count - inset).map { points[(from + $0) % points.count] })
    }
    var corners: [Point] = []
    for at in 0..<4 {
      guard let one = lines[(at + 3) % 4], let two = lines[at], let corner = one.crossing(two)
      else { return nil }
      corners.append(corner)
    }
    // Every point is near one of the sides, or this is no square.
    let far = points.count { point in
      lines.allSatisfy { ($0?.distance(to: point) ?? 0) > eye.modulePixels * 0.6 }
    }
    return far <= points.count / 12 ? corners : nil
  }
}

/// A line through points, by least squares.
private struct Line {
  private let (x, y, dx, dy): (Double, Double, Double, Double)

  init(through points: [Barcode.Point]) {
    let count = Double(points.count)
    let (mx, my) = (points.reduce(0) { $0 + $1.x } / count, points.reduce(0) { $0 + $1.y } / count)
    var (xx, xy, yy) = (0.0, 0.0, 0.0)
    for point in points {
      xx += (point.x - mx) * (point.x - mx)
      xy += (point.x - mx) * (point.y - my)
      yy += (point.y - my) * (point.y - my)
    }
    let angle = 0.5 * atan2(2 * xy, xx - yy)
    (x, y, dx, dy) = (mx, my, cos(angle), sin(angle))
  }

  func distance(to point: Barcode.Point) -> Double {
    abs((point.x - x) * dy - (point.y - y) * dx)
  }

  func crossing(_ other: Line) -> Barcode.Point? {
    let slant = dx * other.dy - dy * other.dx
    guard abs(slant) > 0.1 else { return nil }
    let part = ((other.x - x) * other.dy - (other.y - y) * other.dx) / slant
    return Barcode.Point(x: x + dx * part, y: y + dy * part)
  }
}

extension BullsEyes.Eye {
  func distance(to point: Barcode.Point) -> Double {
    point.squaredDistance(to: Barcode.Point(x: x, y: y)).squareRoot()
  }
}

extension Barcode.Point {
  func squaredDistance(to other: Barcode.Point) -> Double {
    (x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)
  }
}
