#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A second look at the place of a linear code: turned so that its bars stand upright, and cut out.
struct StraightLook {
  private let code: FoundCode

  init(at code: FoundCode) {
    self.code = code
  }

  /// Copies of the place as it is, and treated ones that help where it is soft or unevenly lit.
  func copies(of picture: GreyPicture) -> [(copy: GreyPicture, isTreated: Bool)] {
    guard code.corners.count == 4 else { return [] }
    let left = middle(code.corners[0], code.corners[3])
    let right = middle(code.corners[1], code.corners[2])
    let (dx, dy) = (right.x - left.x, right.y - left.y)
    let length = max((dx * dx + dy * dy).squareRoot(), 1)
    let centre = middle(left, right)
    let across = max(
      distance(code.corners[0], code.corners[3]), distance(code.corners[1], code.corners[2]), 12)
    return [Self.lengths.0, Self.lengths.1].flatMap { wanted -> [(GreyPicture, Bool)] in
      let scale = length / wanted
      let columns = Int(wanted * 1.3)
      let rows = min(max(Int(across / scale * 1.1), 24), 600)
      var map = Affine(scale: scale, radians: atan2(dy, dx))
      let offset = map(Double(columns) / 2, Double(rows) / 2)
      (map.x, map.y) = (centre.x - offset.x, centre.y - offset.y)
      let plain = picture.sampled(columns, rows, through: map)
      return [
        (plain, false), (plain.sharpened(radius: 2, amount: 8), true),
        (plain.sharpened(radius: 4, amount: 12), true),
        (plain.thresholded(radius: 24, offset: 4), true),
      ]
    }.map { (copy: $0.0, isTreated: $0.1) }
  }

  /// Pixels that the code is given along its bars.
  private static let lengths = (450.0, 800.0)

  private func middle(_ a: Barcode.Point, _ b: Barcode.Point) -> Barcode.Point {
    Barcode.Point(x: (a.x + b.x) / 2, y: (a.y + b.y) / 2)
  }

  private func distance(_ a: Barcode.Point, _ b: Barcode.Point) -> Double {
    ((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)).squareRoot()
  }
}
