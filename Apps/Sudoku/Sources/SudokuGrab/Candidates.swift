/// How dark marks are told from paper.
struct Threshold: Sendable {
  enum Kind: Sendable { case belowMean, blackHat }
  let kind: Kind
  /// The share by which a mark is darker.
  let share: Float
  /// The window is the picture's longer side through this.
  let part: Int

  /// In the order in which they are tried.
  static let all = [
    Threshold(kind: .belowMean, share: 0.06, part: 12),
    Threshold(kind: .belowMean, share: 0.10, part: 20),
    Threshold(kind: .blackHat, share: 0.08, part: 50),
    Threshold(kind: .belowMean, share: 0.03, part: 8),
    Threshold(kind: .belowMean, share: 0.15, part: 12),
    Threshold(kind: .blackHat, share: 0.15, part: 40),
  ]

  func marks(in plane: Plane) -> [Bool] {
    let reach = max(1, max(plane.width, plane.height) / part / 2)
    switch kind {
    case .belowMean:
      let mean = plane.mean(reach)
      return zip(plane.values, mean.values).map { $0 < $1 * (1 - share) }
    case .blackHat:
      let closed = plane.closing(reach)
      return zip(plane.values, closed.values).map { $1 - $0 > share * max(1, $1) }
    }
  }
}

/// The quads that the largest connected pieces of marks span.
enum Candidates {
  static let pieceCount = 4

  static func quads(of marks: [Bool], width: Int, height: Int) -> [Quad] {
    pieces(of: marks, width: width, height: height).compactMap { hull in
      let thin = thinned(hull, to: 10)
      guard thin.count >= 4, let quad = largest(of: thin), quad.isLikely else { return nil }
      return quad
    }
  }

  private struct Piece {
    var (left, right, top, bottom) = (Int.max, 0, Int.max, 0)
    var box: Int { (right - left + 1) * (bottom - top + 1) }
    var ends: [Point] = []
  }

  /// The outlines of the pieces with the largest boxes.
  private static func pieces(of marks: [Bool], width: Int, height: Int) -> [[Point]] {
    // A border without marks needs no look whether a neighbour is in the picture.
    let wide = width + 2
    var open = [Bool](repeating: false, count: wide * (height + 2))
    for y in 0..<height {
      let row = (y + 1) * wide + 1
      open.replaceSubrange(row..<(row + width), with: marks[(y * width)..<((y + 1) * width)])
    }
    let beside = [-wide - 1, -wide, -wide + 1, -1, 1, wide - 1, wide, wide + 1]
    var found: [Piece] = []
    var cells: [Int] = []
    open.withUnsafeMutableBufferPointer { open in
      for start in open.indices where open[start] {
        open[start] = false
        cells.removeAll(keepingCapacity: true)
        cells.append(start)
        var next = 0
        while next < cells.count {
          let at = cells[next]
          next += 1
          for step in beside where open[at &+ step] {
            open[at &+ step] = false
            cells.append(at &+ step)
          }
        }
        // A box of 4 % has at least this many pixels along its longer side.
        guard cells.count * cells.count * 25 >= width * height else { continue }
        let piece = piece(of: cells, wide)
        if piece.box * 25 >= width * height { found.append(piece) }
      }
    }
    return found.sorted { $0.box > $1.box }.prefix(pieceCount).map { hull($0.ends) }
  }

  /// A piece with the ends of each of its rows.
  private static func piece(of cells: [Int], _ wide: Int) -> Piece {
    var piece = Piece()
    for at in cells {
      let (x, y) = (at % wide - 1, at / wide - 1)
      (piece.left, piece.right) = (min(piece.left, x), max(piece.right, x))
      (piece.top, piece.bottom) = (min(piece.top, y), max(piece.bottom, y))
    }
    var rows = [(left: Int, right: Int)](
      repeating: (.max, -1), count: piece.bottom - piece.top + 1)
    for at in cells {
      let (x, row) = (at % wide - 1, at / wide - 1 - piece.top)
      rows[row] = (min(rows[row].left, x), max(rows[row].right, x))
    }
    for (row, ends) in rows.enumerated() {
      let y = Float(piece.top + row)
      piece.ends += [Point(Float(ends.left), y), Point(Float(ends.right), y)]
    }
    return piece
  }

  /// The convex hull, by Andrew's monotone chain.
  static func hull(_ points: [Point]) -> [Point] {
    let sorted = points.sorted { ($0.x, $0.y) < ($1.x, $1.y) }
    func half(_ points: some Sequence<Point>) -> [Point] {
      var chain: [Point] = []
      for point in points {
        while chain.count > 1,
          (chain[chain.count - 1] - chain[chain.count - 2]).cross(point - chain[chain.count - 1])
            <= 0
        {
          chain.removeLast()
        }
        chain.append(point)
      }
      return chain.dropLast()
    }
    return half(sorted) + half(sorted.reversed())
  }

  /// Leaves out the corner that adds the least area, until few are left.
  private static func thinned(_ hull: [Point], to most: Int) -> [Point] {
    var hull = hull
    while hull.count > most {
      let loss = hull.indices.map { i in
        let before = hull[(i + hull.count - 1) % hull.count]
        return abs((hull[i] - before).cross(hull[(i + 1) % hull.count] - before))
      }
      guard let least = loss.indices.min(by: { loss[$0] < loss[$1] }) else { break }
      hull.remove(at: least)
    }
    return hull
  }

  private static func largest(of points: [Point]) -> Quad? {
    var best: Quad?
    for a in 0..<points.count {
      for b in (a + 1)..<max(a + 1, points.count) {
        for c in (b + 1)..<max(b + 1, points.count) {
          for d in (c + 1)..<max(c + 1, points.count) {
            let quad = Quad(corners: [points[a], points[b], points[c], points[d]])
            if quad.area > best?.area ?? 0 { best = quad }
          }
        }
      }
    }
    guard var best else { return nil }
    // The hull goes clockwise on a screen whose y goes down; the corner nearest to the top left is first.
    let first = best.corners.indices.min {
      best.corners[$0].x + best.corners[$0].y < best.corners[$1].x + best.corners[$1].y
    }
    best.corners = (0..<4).map { best.corners[((first ?? 0) + $0) % 4] }
    return best
  }
}
