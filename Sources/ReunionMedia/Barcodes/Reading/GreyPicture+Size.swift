#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

func cosine(_ radians: Double) -> Double { cos(radians) }
func sine(_ radians: Double) -> Double { sin(radians) }

extension GreyPicture {
  /// A part; what of the rectangle is outside of the picture is left away.
  func cropped(x: Int, y: Int, width: Int, height: Int) -> GreyPicture {
    let left = min(max(x, 0), self.width - 1)
    let top = min(max(y, 0), self.height - 1)
    let right = max(min(x + width, self.width), left + 1)
    let bottom = max(min(y + height, self.height), top + 1)
    let (stride, columns) = (self.width, right - left)
    let place = origin.after(Affine(scale: 1, x: Double(left), y: Double(top)))
    return made(columns, bottom - top, at: place) { from, to in
      for row in 0..<bottom - top {
        (to + row * columns).update(from: from + (top + row) * stride + left, count: columns)
      }
    }
  }

  /// Each pixel the mean of `factor` by `factor` pixels.
  func shrunk(by factor: Int) -> GreyPicture {
    guard factor > 1, width >= factor, height >= factor else { return self }
    let (columns, rows, stride) = (width / factor, height / factor, width)
    let area = UInt32(factor * factor)
    let place = origin.after(
      Affine(scale: Double(factor), x: Double(factor - 1) / 2, y: Double(factor - 1) / 2))
    return made(columns, rows, at: place) { from, to in
      for row in 0..<rows {
        for column in 0..<columns {
          var sum = area / 2
          for y in 0..<factor {
            let line = from + (row * factor + y) * stride + column * factor
            for x in 0..<factor { sum &+= UInt32(line[x]) }
          }
          to[row * columns + column] = UInt8(truncatingIfNeeded: sum / area)
        }
      }
    }
  }

  /// Larger or slightly smaller, between pixels by the four around.
  func scaled(by factor: Double) -> GreyPicture {
    let (columns, rows) = (Int(Double(width) * factor), Int(Double(height) * factor))
    guard columns > 0, rows > 0 else { return self }
    let step = 1 / factor
    return sampled(
      columns, rows, through: Affine(scale: step, x: (step - 1) / 2, y: (step - 1) / 2))
  }

  /// Turned clockwise about its middle into a picture that holds all of it, light around.
  func turned(degrees: Double) -> GreyPicture {
    let radians = degrees * .pi / 180
    let (c, s) = (abs(cos(radians)), abs(sin(radians)))
    let columns = Int(Double(width) * c + Double(height) * s)
    let rows = Int(Double(width) * s + Double(height) * c)
    var back = Affine(scale: 1, radians: -radians)
    let middle = back(Double(columns - 1) / 2, Double(rows - 1) / 2)
    back.x = Double(width - 1) / 2 - middle.x
    back.y = Double(height - 1) / 2 - middle.y
    return sampled(columns, rows, through: back)
  }

  /// A picture whose pixels are found through `map` in this one; what is outside takes the edge's.
  func sampled(_ columns: Int, _ rows: Int, through map: Affine) -> GreyPicture {
    let (right, bottom, stride) = (width - 1, height - 1, width)
    // Fixed point, 16 bits of fraction.
    let one = 65536.0
    let (stepX, stepY) = (Int(map.xx * one), Int(map.yx * one))
    return made(columns, rows, at: origin.after(map)) { from, to in
      for row in 0..<rows {
        let start = map(0, Double(row))
        var (x, y) = (Int(start.x * one), Int(start.y * one))
        let line = to + row * columns
        for column in 0..<columns {
          let (left, top) = (x >> 16, y >> 16)
          let (x0, y0) = (min(max(left, 0), right), min(max(top, 0), bottom))
          let (x1, y1) = (min(max(left &+ 1, 0), right), min(max(top &+ 1, 0), bottom))
          let (fx, fy) = ((x >> 8) & 0xFF, (y >> 8) & 0xFF)
          let upper =
            Int(from[y0 &* stride &+ x0]) &* (256 &- fx)
            &+ Int(from[y0 &* stride &+ x1]) &* fx
          let lower =
            Int(from[y1 &* stride &+ x0]) &* (256 &- fx)
            &+ Int(from[y1 &* stride &+ x1]) &* fx
          line[column] = UInt8(
            truncatingIfNeeded: (upper &* (256 &- fy) &+ lower &* fy &+ 32768) >> 16)
          x &+= stepX
          y &+= stepY
        }
      }
    }
  }
}
