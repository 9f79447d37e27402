/// What a person pencilled into the cells of a puzzle: marks that are too small for its digits.
struct Notes {
  /// A note's longest side in shares of a cell's; printed digits are taller.
  private static let share: Float = 0.34

  /// The boxes of the notes, in pixels.
  private let boxes: [(left: Int, right: Int, top: Int, bottom: Int)]

  /// Looks for marks that hang together and stand by themselves.
  init(in grey: Plane, cell: Float) {
    let most = Int(cell * Self.share)
    var open = Threshold(kind: .belowMean, share: 0.1, part: 20).marks(in: grey)
    let (width, height) = (grey.width, grey.height)
    var boxes: [(left: Int, right: Int, top: Int, bottom: Int)] = []
    var cells: [Int] = []
    for start in open.indices where open[start] {
      open[start] = false
      cells.removeAll(keepingCapacity: true)
      cells.append(start)
      var box = (left: width, right: 0, top: height, bottom: 0)
      var next = 0
      while next < cells.count {
        let (x, y) = (cells[next] % width, cells[next] / width)
        next += 1
        box = (min(box.left, x), max(box.right, x), min(box.top, y), max(box.bottom, y))
        for v in max(0, y - 1)...min(height - 1, y + 1) {
          for u in max(0, x - 1)...min(width - 1, x + 1) where open[v * width + u] {
            open[v * width + u] = false
            cells.append(v * width + u)
          }
        }
      }
      if box.right - box.left < most, box.bottom - box.top < most { boxes.append(box) }
    }
    self.boxes = boxes
  }

  /// The picture with what is around them in their places.
  func erased(from plane: Plane) -> Plane {
    var erased = plane
    for box in boxes {
      let rows = max(0, box.top - 3)...min(plane.height - 1, box.bottom + 3)
      let columns = max(0, box.left - 3)...min(plane.width - 1, box.right + 3)
      var around: [Float] = []
      for x in columns {
        around.append(plane.values[rows.lowerBound * plane.width + x])
        around.append(plane.values[rows.upperBound * plane.width + x])
      }
      for y in rows {
        around.append(plane.values[y * plane.width + columns.lowerBound])
        around.append(plane.values[y * plane.width + columns.upperBound])
      }
      around.sort()
      // Lighter than most: a line may run beside it.
      let paper = around[around.count * 3 / 4]
      for y in max(0, box.top - 1)...min(plane.height - 1, box.bottom + 1) {
        for x in max(0, box.left - 1)...min(plane.width - 1, box.right + 1) {
          let at = y * plane.width + x
          erased.values[at] = max(erased.values[at], paper)
        }
      }
    }
    return erased
  }
}
