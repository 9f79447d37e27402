extension Plane {
  /// The mean of 2 across + 1 by 2 along + 1 pixels; the border goes on beyond itself.
  func mean(across: Int, along: Int) -> Plane {
    var out = self
    if across > 0 { out = out.meanOfRows(across) }
    if along > 0 { out = out.meanOfColumns(along) }
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
            to[row + x] = total * share
            total += from[row + min(x + reach + 1, width - 1)] - from[row + max(x - reach, 0)]
          }
        }
      }
    }
    return Plane(width: width, height: height, values: out)
  }

  private func meanOfColumns(_ reach: Int) -> Plane {
    let share = 1 / Float(2 * reach + 1)
    var out = [Float](repeating: 0, count: values.count)
    var totals = [Float](repeating: 0, count: width)
    values.withUnsafeBufferPointer { from in
      out.withUnsafeMutableBufferPointer { to in
        totals.withUnsafeMutableBufferPointer { total in
          for y in -reach...reach {
            let row = max(0, min(y, height - 1)) * width
            for x in 0..<width { total[x] += from[row + x] }
          }
          for y in 0..<height {
            let row = y * width
            let next = min(y + reach + 1, height - 1) * width
            let last = max(y - reach, 0) * width
            for x in 0..<width {
              to[row + x] = total[x] * share
              total[x] += from[next + x] - from[last + x]
            }
          }
        }
      }
    }
    return Plane(width: width, height: height, values: out)
  }

  /// The greatest in a square of 2 reach + 1, and then the least of those: dark marks narrower than
  /// the square vanish.
  func closing(_ reach: Int) -> Plane {
    extreme(reach) { max($0, $1) }.extreme(reach) { min($0, $1) }
  }

  private func extreme(_ reach: Int, _ pick: (Float, Float) -> Float) -> Plane {
    extremeOfColumns(reach, pick).transposed.extremeOfColumns(reach, pick).transposed
  }

  /// By doubling: runs of 1, 2, 4 … rows, until they are as long as asked.
  private func extremeOfColumns(_ reach: Int, _ pick: (Float, Float) -> Float) -> Plane {
    var padded: [Float] = []
    padded.reserveCapacity((height + 2 * reach) * width)
    for y in -reach..<(height + reach) {
      let row = max(0, min(y, height - 1)) * width
      padded += values[row..<(row + width)]
    }
    var (rows, have) = (height + 2 * reach, 1)
    padded.withUnsafeMutableBufferPointer { buffer in
      while have < 2 * reach + 1 {
        let more = min(have, 2 * reach + 1 - have)
        rows -= more
        for i in 0..<(rows * width) { buffer[i] = pick(buffer[i], buffer[i + more * width]) }
        have += more
      }
    }
    return Plane(width: width, height: height, values: Array(padded[0..<(width * height)]))
  }

  /// 1 - picture / paper, 0 to 1; the paper is the smoothed closing.
  func darkness(_ reach: Int) -> Plane {
    let paper = closing(reach).mean(reach)
    return Plane(width: width, height: height) { x, y in
      let i = y * width + x
      return max(0, min(1, 1 - values[i] / max(1, paper.values[i])))
    }
  }
}
