extension GreyPicture {
  /// Means of the square of `2 * radius + 1` pixels around each pixel, smaller at the edges.
  func blurred(radius: Int) -> GreyPicture {
    let (columns, rows) = (width, height)
    return filled { from, to in
      // Sums of columns slide down, their sum slides to the right.
      var sums = [UInt32](repeating: 0, count: columns)
      var covered: UInt32 = 0
      for row in -radius..<rows {
        if row + radius < rows {
          let line = from + (row + radius) * columns
          for x in 0..<columns { sums[x] &+= UInt32(line[x]) }
          covered += 1
        }
        if row - radius - 1 >= 0 {
          let line = from + (row - radius - 1) * columns
          for x in 0..<columns { sums[x] &-= UInt32(line[x]) }
          covered -= 1
        }
        guard row >= 0 else { continue }
        var (sum, count): (UInt32, UInt32) = (0, 0)
        for x in -radius..<columns {
          if x + radius < columns {
            sum &+= sums[x + radius]
            count += covered
          }
          if x - radius - 1 >= 0 {
            sum &-= sums[x - radius - 1]
            count -= covered
          }
          if x >= 0 {
            to[row * columns + x] = UInt8(truncatingIfNeeded: (sum &+ count / 2) / count)
          }
        }
      }
    }
  }

  /// Edges made steeper: `amount` quarters of what a blur takes away are put on top.
  func sharpened(radius: Int, amount: Int) -> GreyPicture {
    let soft = blurred(radius: radius)
    let count = pixels.count
    return soft.pixels.withUnsafeBufferPointer { soft in
      filled { from, to in
        for at in 0..<count {
          let value = Int(from[at])
          to[at] = UInt8(clamping: value &+ (value &- Int(soft[at])) &* amount / 4)
        }
      }
    }
  }

  /// Uneven light taken away: each pixel beside the mean around it, with the contrast drawn out.
  func flattened(radius: Int, gain: Int) -> GreyPicture {
    let soft = blurred(radius: radius)
    let count = pixels.count
    return soft.pixels.withUnsafeBufferPointer { soft in
      filled { from, to in
        for at in 0..<count {
          to[at] = UInt8(clamping: 128 &+ (Int(from[at]) &- Int(soft[at])) &* gain)
        }
      }
    }
  }

  /// Black where a pixel is darker than the mean around it, else white.
  func thresholded(radius: Int, offset: Int) -> GreyPicture {
    let soft = blurred(radius: radius)
    let count = pixels.count
    return soft.pixels.withUnsafeBufferPointer { soft in
      filled { from, to in
        for at in 0..<count { to[at] = Int(from[at]) &+ offset < Int(soft[at]) ? 0 : 255 }
      }
    }
  }

  /// The middle one of the nine pixels around each: single wrong pixels vanish, edges stay.
  var median: GreyPicture {
    let (columns, rows) = (width, height)
    guard columns >= 3, rows >= 3 else { return self }
    return filled { from, to in
      to.update(from: from, count: columns * rows)
      for y in 1..<rows - 1 {
        for x in 1..<columns - 1 {
          let line = from + y * columns + x
          // Three sorted columns; the median is the middle of the highest low, the middle middle
          // and the lowest high.
          let a = Sorted3(line[-columns - 1], line[-1], line[columns - 1])
          let b = Sorted3(line[-columns], line[0], line[columns])
          let c = Sorted3(line[-columns + 1], line[1], line[columns + 1])
          let low = max(a.low, b.low, c.low)
          let high = min(a.high, b.high, c.high)
          to[y * columns + x] =
            Sorted3(low, Sorted3(a.middle, b.middle, c.middle).middle, high).middle
        }
      }
    }
  }

  private struct Sorted3 {
    let (low, middle, high): (UInt8, UInt8, UInt8)

    @inline(__always)
    init(_ a: UInt8, _ b: UInt8, _ c: UInt8) {
      let (x, y) = (min(a, b), max(a, b))
      low = min(x, c)
      high = max(y, c)
      middle = max(x, min(y, c))
    }
  }
}
