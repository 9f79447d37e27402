/// A map of the plane that keeps lines straight: how a flat square is seen from anywhere.
///
/// After P. Heckbert, "Fundamentals of Texture Mapping and Image Warping" (1989), §2.2.3.
struct Perspective {
  private var (a, b, c, d, e, f, g, h):
    (Double, Double, Double, Double, Double, Double, Double, Double)

  /// The unit square's corners (0, 0), (1, 0), (1, 1) and (0, 1) go to four points.
  init(square p: [Barcode.Point]) {
    let (sx, sy) = (p[0].x - p[1].x + p[2].x - p[3].x, p[0].y - p[1].y + p[2].y - p[3].y)
    let (x1, x2) = (p[1].x - p[2].x, p[3].x - p[2].x)
    let (y1, y2) = (p[1].y - p[2].y, p[3].y - p[2].y)
    let slant = x1 * y2 - x2 * y1
    g = slant == 0 ? 0 : (sx * y2 - x2 * sy) / slant
    h = slant == 0 ? 0 : (x1 * sy - sx * y1) / slant
    (a, b, c) = (p[1].x - p[0].x + g * p[1].x, p[3].x - p[0].x + h * p[3].x, p[0].x)
    (d, e, f) = (p[1].y - p[0].y + g * p[1].y, p[3].y - p[0].y + h * p[3].y, p[0].y)
  }

  /// Nil for what would be behind the eye.
  func callAsFunction(_ u: Double, _ v: Double) -> Barcode.Point? {
    let w = g * u + h * v + 1
    guard w > 0.05 else { return nil }
    return Barcode.Point(x: (a * u + b * v + c) / w, y: (d * u + e * v + f) / w)
  }
}
