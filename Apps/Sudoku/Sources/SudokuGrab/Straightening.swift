/// A grid in a picture: the 10 x 10 crossings of its lines, and how surely they are lines.
struct FoundGrid: Sendable {
  /// Row by row, in the picture.
  var nodes: [Point]
  /// 0 to 1: true grids have over 0.9.
  let score: Float
  /// How often lines were followed until it was found.
  var passes = 1

  var quad: Quad { Quad(corners: [nodes[0], nodes[9], nodes[99], nodes[90]]) }
}

/// Follows the 10 + 10 lines of a grid that a quad roughly frames.
struct Straightening {
  static let cell = 48
  static let margin = 24
  static let side = 9 * cell + 2 * margin
  /// How far from its place a line is looked for, in pixels of the straightened picture.
  static let reach = 20
  /// Between the samples of a line.
  static let step = 4
  /// How often bent paper is bent back.
  static let roundsMax = 3
  static let sampleCount = 9 * cell / step + 1
  /// From here on the frame is followed: what is no grid has less.
  static let paper: Float = 0.45

  /// Follows the lines, and where they were nearly lost once more on paper that is bent back: by the
  /// lines, and then by the frame.
  static func grid(in plane: Plane, _ quad: Quad, byFrame: Bool = true) -> FoundGrid {
    let place = quad.projection
    let shrink = (quad.area / Float(9 * cell * 9 * cell)).squareRoot()
    let from = shrink > 1.2 ? plane.mean(max(1, Int((shrink - 0.2) / 2 + 0.5))) : plane
    let flat = { (x: Float, y: Float) in
      place((x - Float(margin)) / Float(9 * cell), (y - Float(margin)) / Float(9 * cell))
    }
    let first = bentBack(from, followed(in: from, along: 8, flat), flat)
    guard byFrame, first.score > paper, first.score < GridSearch.good else { return first }
    // Much bent paper: where the frame runs says how.
    let frame = Frame(in: from, place)
    let framed = { (x: Float, y: Float) in
      let (u, v) = ((x - Float(margin)) / Float(9 * cell), (y - Float(margin)) / Float(9 * cell))
      let shift = frame.shift(u, v)
      return place(u + shift.across / 9, v + shift.down / 9)
    }
    let second = bentBack(from, followed(in: from, along: 16, framed), framed)
    var best = second.score > first.score ? second : first
    // The frame takes about as long as the lines.
    best.passes = first.passes + 1 + second.passes
    return best
  }

  /// Follows the lines again on paper that is bent back by them, while that finds more of them.
  private static func bentBack(
    _ plane: Plane, _ followed: Followed, _ flat: @escaping (_ x: Float, _ y: Float) -> Point
  ) -> FoundGrid {
    var (source, best, passes) = (flat, followed, 1)
    for _ in 0..<roundsMax where best.grid.score > 0.3 && best.grid.score < 0.97 {
      let (before, across, down) = (source, best.vertical, best.horizontal)
      source = { x, y in
        before(x + across.value(across: x, along: y), y + down.value(across: y, along: x))
      }
      let bent = Self.followed(in: plane, along: 16, source)
      passes += 1
      guard bent.grid.score > best.grid.score else { break }
      best = bent
    }
    best.grid.passes = passes
    return best.grid
  }

  private typealias Followed = (grid: FoundGrid, vertical: Surface, horizontal: Surface)

  /// The lines on straightened paper, each averaged over some pixels along it: bent ones take few.
  private static func followed(
    in plane: Plane, along: Int, _ source: (_ x: Float, _ y: Float) -> Point
  ) -> Followed {
    let flat = Plane(side: side, of: plane, source)
    let dark = flat.darkness(cell * 45 / 200)
    let vertical = lines(of: response(dark, along))
    let horizontal = lines(of: response(dark.transposed, along))
    let shares = (vertical.shares + horizontal.shares).sorted()
    let score =
      shares.reduce(0, +) / Float(shares.count) / 2 + shares.prefix(5).reduce(0, +) / 10
    var nodes: [Point] = []
    for row in 0..<10 {
      for column in 0..<10 {
        var (x, y) = (Float(margin + column * cell), Float(margin + row * cell))
        for _ in 0..<4 {
          x = Float(margin + column * cell) + between(vertical.offsets[column], y)
          y = Float(margin + row * cell) + between(horizontal.offsets[row], x)
        }
        nodes.append(source(x + 0.5, y + 0.5))
      }
    }
    return (FoundGrid(nodes: nodes, score: score), vertical.surface, horizontal.surface)
  }

  /// The offset of a line at a place along it.
  private static func between(_ offsets: [Float], _ along: Float) -> Float {
    let at = max(0, min((along - Float(margin)) / Float(step), Float(sampleCount - 1)))
    let first = min(Int(at), sampleCount - 2)
    let share = at - Float(first)
    return offsets[first] * (1 - share) + offsets[first + 1] * share
  }

  /// How much a pixel looks like one of an upright line: 1 is the mean of its surroundings. Of all
  /// rows it has each `step`th.
  static func response(_ dark: Plane, _ along: Int) -> Plane {
    let smooth = dark.mean(along: along, each: step).mean(across: 1, along: 0)
    let edge = smooth.values.withUnsafeBufferPointer { smooth in
      Plane(width: side, height: side / step) { x, y in
        let row = y &* side
        let beside = max(smooth[row &+ max(0, x &- 6)], smooth[row &+ min(side &- 1, x &+ 6)])
        return max(0, smooth[row &+ x] - beside)
      }
    }
    let usual = edge.mean(across: cell / 2, along: cell / 2 / step)
    return Plane(
      width: side, height: side / step,
      values: zip(edge.values, usual.values).map { min(6, $0 / ($1 + 0.002)) })
  }

  private typealias Lines = (offsets: [[Float]], shares: [Float], surface: Surface)

  /// For each of ten upright lines its offsets, smoothed by one surface through all, and the share of
  /// its samples that lie on something like a line.
  private static func lines(of response: Plane) -> Lines {
    let followed = (0..<10).map { follow($0, response) }
    var surface = Surface(
      followed,
      response: { line, sample, offset in
        value(response, line, sample, offset)
      })
    surface.fit()
    var shares: [Float] = []
    let offsets = (0..<10).map { line in
      let smooth = (0..<sampleCount).map { surface.value(line, $0) }
      let residue = (0..<sampleCount).map { sample in
        let rest = followed[line][sample] - smooth[sample]
        return abs(rest) < 4 ? rest : 0
      }
      let final = (0..<sampleCount).map { sample in
        let near = max(0, sample - 5)...min(sampleCount - 1, sample + 5)
        return smooth[sample] + residue[near].reduce(0, +) / Float(near.count)
      }
      let on = (0..<sampleCount).count { sample in
        (-1...1).contains { value(response, line, sample, final[sample] + Float($0)) > 2 }
      }
      shares.append(Float(on) / Float(sampleCount))
      return final
    }
    return (offsets, shares, surface)
  }

  private static func value(_ response: Plane, _ line: Int, _ sample: Int, _ offset: Float) -> Float
  {
    let x = margin + line * cell + Int(offset.rounded())
    return response.values[(margin / step + sample) * side + max(0, min(side - 1, x))]
  }

  /// The path of the most response; each pixel that it jumps aside costs.
  private static func follow(_ line: Int, _ response: Plane) -> [Float] {
    let rows = (0..<sampleCount).map {
      (margin / step + $0) * side + margin + line * cell - reach
    }
    return Path(through: response.values, rows, width: 2 * reach + 1, jump: 0.8).offsets(reach)
  }
}
