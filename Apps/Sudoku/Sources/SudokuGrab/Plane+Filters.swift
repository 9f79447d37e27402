extension Plane {
  /// The mean of 2 across + 1 by 2 along + 1 pixels; the border goes on beyond itself.
  func mean(across: Int, along: Int) -> Plane {
    var out = self
    if across > 0 { out = out.meanOfRows(across) }
    if along > 0 { out = out.mean(along: along, each: 1) }
    return out
  }

  func mean(_ reach: Int) -> Plane { mean(across: reach, along: reach) }

  private func meanOfRows(_ reach: Int) -> Plane {
    let share = 1 / Float(2 * reach + 1)
    var out = [Float](repeating: 0, count: values.count)
    values.withUnsafeBufferPointer { from in
      out.withUnsafeMutableBufferPointer { to in
        for y in 0..<height {
          let row = y * width
          var total: Float = 0
          for x in -reach...reach { total += from[row + max(0, min(x, width - 1))] }
          for x in 0..<width {
            to[row &+ x] = total * share
            let (next, last) = (min(x &+ reach &+ 1, width &- 1), max(x &- reach, 0))
            total += from[row &+ next] - from[row &+ last]
          }
        }
      }
    }
    return Plane(width: width, height: height, values: out)
  }

  /// Of each stepth row the mean of 2 reach + 1 rows about it.
  func mean(along reach: Int, each step: Int) -> Plane {
    let share = 1 / Float(2 * reach + 1)
    let high = (height + step - 1) / step
    var out = [Float](repeating: 0, count: width * high)
    var totals = [Float](repeating: 0, count: width)
    values.withUnsafeBufferPointer { from in
      out.withUnsafeMutableBufferPointer { to in
        totals.withUnsafeMutableBufferPointer { total in
          for y in -reach...reach {
            let row = max(0, min(y, height - 1)) * width
            for x in 0..<width { total[x] += from[row + x] }
          }
          for y in 0..<height {
            if y % step == 0 {
              let row = UnsafeMutableBufferPointer(rebasing: to[(y / step * width)...])
              for x in 0..<width { row[x] = total[x] * share }
            }
            let next = UnsafeBufferPointer(
              rebasing: from[(min(y + reach + 1, height - 1) * width)...])
            let last = UnsafeBufferPointer(rebasing: from[(max(y - reach, 0) * width)...])
            for x in 0..<width { total[x] += next[x] - last[x] }
          }
        }
      }
    }
    return Plane(width: width, height: high, values: out)
  }

  /// The greatest in a square of 2 reach + 1, and then the least of those: dark marks narrower than
  /// the square vanish.
  func closing(_ reach: Int) -> Plane {
    extreme(reach) { max($0, $1) }.extreme(reach) { min($0, $1) }
  }

  private func extreme(_ reach: Int, _ pick: (Float, Float) -> Float) -> Plane {
    extremeOfColumns(reach, pick).extremeOfRows(reach, pick)
  }

  private func extremeOfColumns(_ reach: Int, _ pick: (Float, Float) -> Float) -> Plane {
    var padded: [Float] = []
    padded.reserveCapacity((height + 2 * reach) * width)
    for y in -reach..<(height + reach) {
      let row = max(0, min(y, height - 1)) * width
      padded += values[row..<(row + width)]
    }
    Self.doubled(&padded, by: width, to: 2 * reach + 1, pick)
    return Plane(width: width, height: height, values: Array(padded.prefix(width * height)))
  }

  private func extremeOfRows(_ reach: Int, _ pick: (Float, Float) -> Float) -> Plane {
    var out: [Float] = []
    out.reserveCapacity(width * height)
    for y in 0..<height {
      let row = values[(y * width)..<((y + 1) * width)]
      var padded = [Float](repeating: values[y * width], count: reach)
      padded += row
      padded += repeatElement(values[(y + 1) * width - 1], count: reach)
      Self.doubled(&padded, by: 1, to: 2 * reach + 1, pick)
      out += padded.prefix(width)
    }
    return Plane(width: width, height: height, values: out)
  }

  /// Of each value and those at the next strides what is picked: of runs of 1, 2, 4 …, until they
  /// are as long as asked. Values at the end have no whole run.
  @inline(__always)
  private static func doubled(
    _ values: inout [Float], by stride: Int, to length: Int, _ pick: (Float, Float) -> Float
  ) {
    var (count, have) = (values.count, 1)
    while have < length {
      let more = min(have, length - have)
      count -= more * stride
      // One array into another, so that the compiler may take several values at once.
      values = [Float](unsafeUninitializedCapacity: count) { to, filled in
        values.withUnsafeBufferPointer { from in
          let next = UnsafeBufferPointer(rebasing: from[(more * stride)...])
          for i in 0..<count { to[i] = pick(from[i], next[i]) }
        }
        filled = count
      }
      have += more
    }
  }

  /// 1 - picture / paper, 0 to 1; the paper is the smoothed closing.
  func darkness(_ reach: Int) -> Plane {
    let paper = closing(reach).mean(reach)
    return Plane(
      width: width, height: height,
      values: zip(values, paper.values).map { max(0, min(1, 1 - $0 / max(1, $1))) })
  }
}
