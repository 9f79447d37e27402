/// A picture of one byte a pixel, and where its pixels are in the picture that it was made from.
struct GreyPicture: Sendable {
  let width: Int
  let height: Int
  /// Row by row, 0 is black.
  let pixels: [UInt8]
  let origin: Affine

  init(width: Int, height: Int, pixels: [UInt8], origin: Affine = Affine()) {
    precondition(pixels.count == width * height)
    self.width = width
    self.height = height
    self.pixels = pixels
    self.origin = origin
  }

  var longSide: Int { max(width, height) }
  var shortSide: Int { min(width, height) }

  /// The picture that `fill` writes, at the same place.
  func filled(_ fill: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>) -> Void) -> GreyPicture {
    made(width, height, at: origin, fill)
  }

  /// A picture of another size that `fill` writes.
  func made(
    _ width: Int, _ height: Int, at origin: Affine,
    _ fill: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>) -> Void
  ) -> GreyPicture {
    let count = width * height
    let pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      self.pixels.withUnsafeBufferPointer { source in
        guard let from = source.baseAddress, let to = buffer.baseAddress else { return }
        fill(from, to)
        filled = count
      }
    }
    return GreyPicture(width: width, height: height, pixels: pixels, origin: origin)
  }

  /// Dark and light exchanged.
  var inverted: GreyPicture {
    let count = pixels.count
    return filled { from, to in
      for at in 0..<count { to[at] = ~from[at] }
    }
  }
}

/// A map of the plane that keeps lines straight and parallel, from one picture's pixels to another's.
struct Affine: Sendable, Hashable {
  var (xx, xy, x): (Double, Double, Double) = (1, 0, 0)
  var (yx, yy, y): (Double, Double, Double) = (0, 1, 0)

  init() {}

  /// Scales, turns clockwise by the angle, and then moves.
  init(scale: Double, radians: Double = 0, x: Double = 0, y: Double = 0) {
    (xx, xy, self.x) = (scale * cosine(radians), -scale * sine(radians), x)
    (yx, yy, self.y) = (scale * sine(radians), scale * cosine(radians), y)
  }

  func callAsFunction(_ px: Double, _ py: Double) -> (x: Double, y: Double) {
    (xx * px + xy * py + x, yx * px + yy * py + y)
  }

  /// First `inner`, then this one.
  func after(_ inner: Affine) -> Affine {
    var both = Affine()
    (both.xx, both.xy) = (xx * inner.xx + xy * inner.yx, xx * inner.xy + xy * inner.yy)
    (both.yx, both.yy) = (yx * inner.xx + yy * inner.yx, yx * inner.xy + yy * inner.yy)
    (both.x, both.y) = self(inner.x, inner.y)
    return both
  }
}
