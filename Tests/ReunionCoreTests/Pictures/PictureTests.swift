import ReunionCore
import Testing

/// The geometry of pictures, against pixels that are moved one by one.
@Suite struct PictureTests {
  /// Pixels that each have a number of their own, in rows.
  struct Grid: Equatable {
    var width: Int
    var pixels: [Int]
    var height: Int { pixels.count / width }
    var size: PictureSize { PictureSize(width: UInt32(width), height: UInt32(height)) }

    init(_ width: Int, _ height: Int, pixel: (Int, Int) -> Int) {
      self.width = width
      pixels = (0..<width * height).map { pixel($0 % width, $0 / width) }
    }

    subscript(x: Int, y: Int) -> Int { pixels[y * width + x] }

    var mirrored: Grid { Grid(width, height) { self[width - 1 - $0, $1] } }
    var turnedClockwise: Grid { Grid(height, width) { self[$1, height - 1 - $0] } }

    func turned(_ times: Int) -> Grid {
      (0..<times).reduce(self) { grid, _ in grid.turnedClockwise }
    }

    func part(_ rect: PictureRect) -> Grid {
      Grid(Int(rect.width), Int(rect.height)) { self[Int(rect.x) + $0, Int(rect.y) + $1] }
    }

    /// Upright, step by step as the EXIF standard says it: a mirror, and then quarter turns.
    func upright(from orientation: Int) -> Grid {
      let steps = [
        (false, 0), (true, 0), (false, 2), (true, 2), (true, 3), (false, 1), (true, 1), (false, 3),
      ][orientation - 1]
      return (steps.0 ? mirrored : self).turned(steps.1)
    }
  }

  /// Whether the plan's pixels are those of the steps that it stands for; `bug` spoils the plan.
  static func agrees(
    _ stored: Grid, _ orientation: Int, _ edit: PictureEdit,
    bug: (PicturePlan) -> (PictureRect, UInt8) = { ($0.source, $0.orientation.rawValue) }
  ) -> Bool {
    let upright = stored.upright(from: orientation)
    let wanted = upright.part(edit.crop.pixels(of: upright.size)).turned(Int(edit.quarterTurns))
    let plan = PicturePlan(
      stored: stored.size, orientation: Orientation(rawValue: UInt8(orientation)), edit: edit)
    let (source, turned) = bug(plan)
    return stored.part(source).upright(from: Int(turned)) == wanted && plan.size == wanted.size
  }

  /// Calls with every picture of at most 4 × 5 pixels, orientation, rectangle and turn.
  static func forEachCase(_ act: (Grid, Int, PictureEdit, PictureRect) -> Void) {
    for (width, height) in [(1, 1), (1, 4), (3, 1), (2, 3), (4, 4), (4, 5)] {
      let stored = Grid(width, height) { $1 * width + $0 }
      for orientation in 1...8 {
        let size = Orientation(rawValue: UInt8(orientation)).upright(stored.size)
        for x in 0..<size.width {
          for y in 0..<size.height {
            for right in x + 1...size.width {
              for bottom in y + 1...size.height {
                let rect = PictureRect(x: x, y: y, width: right - x, height: bottom - y)
                for turns in 0..<4 {
                  let crop = PictureCrop(rect, in: size)
                  act(stored, orientation, PictureEdit(crop: crop, quarterTurns: turns), rect)
                }
              }
            }
          }
        }
      }
    }
  }

  @Test func `stand upright, crop, turn and fit in one are the same pixels as one by one`() {
    var count = 0
    var wrong: [String] = []
    Self.forEachCase { stored, orientation, edit, rect in
      count += 1
      let upright = Orientation(rawValue: UInt8(orientation)).upright(stored.size)
      if edit.crop.pixels(of: upright) != rect || !Self.agrees(stored, orientation, edit) {
        wrong.append("\(stored.size) \(orientation) \(rect) \(edit.quarterTurns)")
      }
    }
    #expect(count > 9_000)
    #expect(wrong.isEmpty, "\(wrong.prefix(3))")
  }

  @Test func `wrong geometry is seen (negative control)`() {
    let bugs: [(PicturePlan) -> (PictureRect, UInt8)] = [
      // Turned the other way.
      {
        ($0.source, [1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 8, 7: 7, 8: 6][$0.orientation.rawValue] ?? 1)
      },
      // The mirror forgotten.
      {
        ($0.source, [2: 1, 4: 3, 5: 8, 7: 6][$0.orientation.rawValue] ?? $0.orientation.rawValue)
      },
      // A pixel less to the right.
      {
        var source = $0.source
        if source.x > 0 { source.x -= 1 }
        return (source, $0.orientation.rawValue)
      },
    ]
    for bug in bugs {
      var isSeen = false
      Self.forEachCase { stored, orientation, edit, _ in
        isSeen = isSeen || !Self.agrees(stored, orientation, edit, bug: bug)
      }
      #expect(isSeen)
    }
  }

  @Test func `a rectangle of pixels comes back from its crop, up to the largest JPEG`() {
    var random = Seeded(11)
    for _ in 0..<20_000 {
      let size = PictureSize(
        width: .random(in: 1...65_535, using: &random),
        height: .random(in: 1...65_535, using: &random))
      let x = UInt32.random(in: 0..<size.width, using: &random)
      let y = UInt32.random(in: 0..<size.height, using: &random)
      let rect = PictureRect(
        x: x, y: y, width: .random(in: 1...size.width - x, using: &random),
        height: .random(in: 1...size.height - y, using: &random))
      #expect(PictureCrop(rect, in: size).pixels(of: size) == rect)
    }
  }

  @Test func `no size and no crop traps, and every result lies within its picture`() {
    var random = Seeded(12)
    let sides: [UInt32] = [0, 1, 2, 65_535, 65_536, .max / 2, .max - 1, .max]
    for _ in 0..<5_000 {
      let numbers = (0..<6).map { _ in
        Bool.random(using: &random)
          ? sides.randomElement(using: &random) ?? 0 : UInt32.random(in: 0 ... .max, using: &random)
      }
      let size = PictureSize(width: numbers[0], height: numbers[1])
      let rect = PictureRect(x: numbers[2], y: numbers[3], width: numbers[4], height: numbers[5])
      let edits = [
        PictureEdit(crop: PictureCrop(rect, in: size)), PictureEdit.random(using: &random),
      ]
      for edit in edits {
        let orientation = Orientation(rawValue: .random(in: 0...9, using: &random))
        let plan = PicturePlan(
          stored: size, orientation: orientation, edit: edit, longEdge: numbers[5])
        #expect(UInt64(plan.source.x) + UInt64(plan.source.width) <= UInt64(size.width))
        #expect(UInt64(plan.source.y) + UInt64(plan.source.height) <= UInt64(size.height))
        #expect(plan.size.width > 0 && plan.size.height > 0)
      }
    }
  }

  @Test func `an edge between two pixels goes to the nearer one, halves up`() {
    let size = PictureSize(width: 4, height: 2)
    // 4 px: an edge at 0.375 lies at 1.5 and goes to 2; 0.374 goes to 1.
    #expect(
      PictureCrop(left: 24_576, top: 0, right: 65_535, bottom: 65_535)?.pixels(of: size).x == 2)
    #expect(
      PictureCrop(left: 24_510, top: 0, right: 65_535, bottom: 65_535)?.pixels(of: size).x == 1)
    // Nothing between the edges: the pixel after them, or the last one.
    let sliver = PictureCrop(left: 65_534, top: 1, right: 65_535, bottom: 2)
    #expect(sliver?.pixels(of: size) == PictureRect(x: 3, y: 0, width: 1, height: 1))
    #expect(PictureCrop(left: 5, top: 0, right: 5, bottom: 9) == nil)
    #expect(PictureSize(width: 4032, height: 3024).fitted(longEdge: 2048).height == 1536)
    #expect(PictureSize(width: 3, height: 2).fitted(longEdge: 2).height == 1)
    #expect(PictureSize(width: 2000, height: 1).fitted(longEdge: 100).height == 1)
  }

  @Test func `an edit is nine bytes, and eighteen digits`() throws {
    var random = Seeded(13)
    for _ in 0..<1_000 {
      let edit = PictureEdit.random(using: &random)
      #expect(edit.bytes.count == 9)
      #expect(PictureEdit(bytes: edit.bytes) == edit)
      #expect(PictureEdit(edit.description) == edit)
    }
    #expect(PictureEdit.original.description == "0000000000ffffffff")
    #expect(PictureEdit(quarterTurns: -1).quarterTurns == 3)
    for text in ["", "00", "04 00000000ffffffff", "040000000000ffffff", "0000000000FFFFFFFF"] {
      #expect(PictureEdit(text) == nil, "\(text)")
    }
    // A newer version's form, nothing between the edges, a byte too many.
    #expect(PictureEdit(bytes: [4, 0, 0, 0, 0, 255, 255, 255, 255]) == nil)
    #expect(PictureEdit(bytes: [0, 0, 9, 0, 0, 0, 9, 255, 255]) == nil)
    #expect(PictureEdit(bytes: PictureEdit.original.bytes + [0]) == nil)
  }
}

extension PictureEdit {
  /// Any edit, whole edges more often than chance gives them.
  static func random(using random: inout Seeded) -> PictureEdit {
    func edges() -> (UInt16, UInt16) {
      let pair = (0..<2).map { _ in UInt16.random(in: 0...65_535, using: &random) }.sorted()
      guard pair[0] < pair[1], Int.random(in: 0..<5, using: &random) > 0 else { return (0, 65_535) }
      return (pair[0], pair[1])
    }
    let (across, down) = (edges(), edges())
    return PictureEdit(
      crop: PictureCrop(left: across.0, top: down.0, right: across.1, bottom: down.1) ?? .whole,
      quarterTurns: .random(in: 0..<4, using: &random))
  }
}
