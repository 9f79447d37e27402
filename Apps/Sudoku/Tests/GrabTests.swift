import SudokuCore
import Testing

@testable import SudokuGrab

@Suite struct GrabTests {
  /// Photographs that a careful person takes, and some that are not so good.
  static let kinds: [(String, @Sendable (inout PhotographRenderer) -> Void)] = [
    ("straight", { _ in }),
    ("tilted", { $0.tilt = Point(0.35, -0.2) }),
    ("curled", { $0.curl = 0.03 }),
    ("bent by half a cell and more", { ($0.curl, $0.share) = (0.075, 0.62) }),
    ("turned a little", { $0.degrees = 8 }),
    ("turned by 30 degrees", { ($0.degrees, $0.share) = (30, 0.65) }),
    ("lying on its side", { $0.quarters = 1 }),
    ("upside down", { ($0.quarters, $0.degrees) = (2, -5) }),
    ("lying on the other side", { ($0.quarters, $0.curl) = (3, 0.02) }),
    ("in shadow", { ($0.shadow, $0.noise) = (0.5, 4) }),
    ("small", { ($0.width, $0.height, $0.share) = (360, 270, 0.75) }),
    ("blurred", { $0.blur = 3 }),
    ("faint", { ($0.contrast, $0.noise) = (0.3, 4) }),
    (
      "all at once",
      {
        ($0.tilt, $0.curl, $0.degrees) = (Point(0.2, 0.15), 0.02, -6)
        ($0.shadow, $0.noise, $0.blur) = (0.35, 3, 1.5)
      }
    ),
  ]

  private static func puzzles(_ count: Int) -> [Puzzle] {
    var generator = Generator(seed: 2)
    return (0..<count).map { generator.next(Grade.allCases[$0 % 4]) }
  }

  @Test func `reads every cell of photographs of every kind, and finds the corners`() throws {
    for (number, puzzle) in Self.puzzles(2 * Self.kinds.count).enumerated() {
      let (name, change) = Self.kinds[number / 2]
      var renderer = PhotographRenderer()
      renderer.seed = UInt64(number)
      renderer.glyphs = number % 2 == 0 ? Glyphs.lato : Glyphs.dejaVuSerif
      change(&renderer)
      let (photograph, corners) = try renderer.photograph(of: puzzle.clues.cells.map(Int.init))
      let reading = try #require(Reading(photograph), "\(name)")
      #expect(reading.grid.text == puzzle.clues.text, "\(name)")
      #expect(reading.isPuzzle, "\(name)")
      let cell = renderer.share * Float(min(renderer.width, renderer.height)) / 9
      for (found, real) in zip(reading.corners, corners) {
        #expect((found - real).length < cell / 2, "\(name): \(found), \(real)")
      }
    }
  }

  @Test(arguments: [(320, 240), (640, 480), (900, 900)])
  func `reads light on dark as it reads dark on light`(width: Int, height: Int) throws {
    for (number, puzzle) in Self.puzzles(4).enumerated() {
      var renderer = PhotographRenderer()
      (renderer.width, renderer.height, renderer.isNegative) = (width, height, true)
      (renderer.degrees, renderer.noise) = (Float(number * 4), Float(number))
      let (photograph, _) = try renderer.photograph(of: puzzle.clues.cells.map(Int.init))
      #expect(photograph.isDark)
      let reading = try #require(Reading(photograph))
      #expect(reading.grid.text == puzzle.clues.text && reading.isPuzzle)
    }
    // Negative control: where the dark is taken for the ink, there is no grid.
    var renderer = PhotographRenderer()
    (renderer.width, renderer.height, renderer.isNegative) = (width, height, true)
    let grey = try renderer.photograph(of: Self.puzzles(1)[0].clues.cells.map(Int.init))
      .photograph.grey
    var search = GridSearch(grey, passesMax: 20)
    #expect(search.next() == nil)
    search = GridSearch(grey.negative, passesMax: 20)
    #expect(search.next() != nil)
  }

  @Test func `reads a dark window on a light table`() throws {
    var renderer = PhotographRenderer()
    (renderer.width, renderer.height, renderer.isNegative) = (500, 500, true)
    let puzzle = Self.puzzles(1)[0].clues
    let window = try renderer.photograph(of: puzzle.cells.map(Int.init)).photograph.grey
    let bytes = (0..<(900 * 900)).map { at in
      let (x, y) = (at % 900 - 150, at / 900 - 200)
      return (0..<500).contains(x) && (0..<500).contains(y)
        ? UInt8(window.values[y * 500 + x]) : 235
    }
    let photograph = try #require(
      Photograph(width: 900, height: 900, channels: 1, bytes: bytes))
    #expect(!photograph.isDark)
    #expect(Reading(photograph)?.grid.text == puzzle.text)
  }

  @Test(arguments: [0, 3, 8, 81])
  func `passes over the notes in cells, few or many`(_ count: Int) throws {
    for (number, puzzle) in Self.puzzles(3).enumerated() {
      var random = SplitMix(seed: UInt64(number))
      var renderer = PhotographRenderer()
      (renderer.width, renderer.height) = (900, 900)
      renderer.degrees = Float(number * 3)
      renderer.notes = (0..<81).map { cell in
        cell * count % 81 < count ? Int.random(in: 1..<512, using: &random) : 0
      }
      let (photograph, _) = try renderer.photograph(of: puzzle.clues.cells.map(Int.init))
      let reading = try #require(Reading(photograph), "\(number)")
      #expect(reading.grid.text == puzzle.clues.text && reading.isPuzzle, "\(number)")
    }
  }

  @Test func `notes are small marks by themselves, and digits are none (negative control)`() throws
  {
    var renderer = PhotographRenderer()
    (renderer.width, renderer.height) = (900, 900)
    let clues = Self.puzzles(1)[0].clues.cells.map(Int.init)
    let plain = try renderer.photograph(of: clues).photograph
    renderer.notes = [Int](repeating: 511, count: 81)
    let noted = try renderer.photograph(of: clues).photograph
    let cell: Float = 0.8 * 900 / 9
    func difference(_ one: Plane, _ two: Plane) -> Int {
      zip(one.values, two.values).count { abs($0 - $1) > 60 }
    }
    #expect(difference(plain.grey, noted.grey) > 10_000)
    #expect(difference(plain.grey, noted.withoutNotes(inCells: cell).grey) < 500)
    #expect(difference(plain.grey, plain.withoutNotes(inCells: cell).grey) < 500)
  }

  @Test func `another puzzle is not taken for the photographed one (negative control)`() throws {
    let puzzles = Self.puzzles(2)
    let (photograph, _) = try PhotographRenderer().photograph(
      of: puzzles[0].clues.cells.map(Int.init))
    let reading = try #require(Reading(photograph))
    #expect(reading.grid == puzzles[0].clues && reading.grid != puzzles[1].clues)
    // With another face for each digit than it says, nothing comes out right.
    var renderer = PhotographRenderer()
    renderer.glyphs = Array(Glyphs.lato.dropFirst() + Glyphs.lato.prefix(1))
    let (other, _) = try renderer.photograph(of: puzzles[0].clues.cells.map(Int.init))
    #expect(Reading(other)?.grid != puzzles[0].clues)
  }

  @Test
  func `finds the lines of much bent paper by its frame, and not without it (negative control)`()
    throws
  {
    var renderer = PhotographRenderer()
    (renderer.curl, renderer.share) = (0.075, 0.62)
    let (photograph, corners) = try renderer.photograph(
      of: Self.puzzles(1)[0].clues.cells.map(Int.init))
    let quad = Quad(corners: corners)
    #expect(Straightening.grid(in: photograph.grey, quad).score > GridSearch.good)
    #expect(Straightening.grid(in: photograph.grey, quad, byFrame: false).score < GridSearch.good)
  }

  @Test func `a search ends after its passes, and goes on without a bound (negative control)`()
    throws
  {
    var renderer = PhotographRenderer()
    (renderer.rows, renderer.noise, renderer.curl) = (16, 12, 0.05)
    let grey = try renderer.photograph(of: [Int](repeating: 0, count: 256)).photograph.grey
    func spent(of passesMax: Int) -> Int {
      var search = GridSearch(grey, passesMax: passesMax)
      while search.next() != nil {}
      return passesMax - search.passes
    }
    #expect(spent(of: 1) < spent(of: 1000))
    // The quad that was begun may take eight more.
    #expect(spent(of: 1) <= 1 + 8)
  }

  @Test func `gives the same reading on every run`() throws {
    var renderer = PhotographRenderer()
    (renderer.noise, renderer.blur) = (10, 2)
    let (photograph, _) = try renderer.photograph(of: Self.puzzles(1)[0].clues.cells.map(Int.init))
    let first = Reading(photograph)
    #expect(first != nil && Reading(photograph) == first)
  }

  @Test(arguments: [6, 8, 10, 16])
  func `takes no other table for a Sudoku`(_ rows: Int) throws {
    var renderer = PhotographRenderer()
    renderer.rows = rows
    var random = SplitMix(seed: UInt64(rows))
    let texts = (0..<(rows * rows)).map { _ in
      Int.random(in: 0..<2, using: &random) * Int.random(in: 1...9, using: &random)
    }
    let reading = Reading(try renderer.photograph(of: texts).photograph)
    #expect(reading?.isPuzzle != true, "\(reading?.grid.text ?? "")")
  }

  @Test func `takes no grid of random digits and no empty one for a puzzle`() throws {
    var random = SplitMix(seed: 12)
    let texts = (0..<81).map { _ in
      Int.random(in: 0..<2, using: &random) * Int.random(in: 1...9, using: &random)
    }
    for texts in [texts, [Int](repeating: 0, count: 81)] {
      let photograph = try PhotographRenderer().photograph(of: texts).photograph
      let reading = try #require(Reading(photograph))
      #expect(!reading.isPuzzle && !reading.isSure)
    }
  }

  @Test func `finds nothing in blank, noisy, tiny and odd pictures`() throws {
    var random = SplitMix(seed: 3)
    for (width, height) in [(32, 32), (33, 500), (400, 300), (2000, 40)] {
      for level in [UInt8(0), 128, 255] {
        let blank = [UInt8](repeating: level, count: width * height)
        let noise = blank.map { _ in UInt8.random(in: 0...255, using: &random) }
        for bytes in [blank, noise] {
          let photograph = Photograph(width: width, height: height, channels: 1, bytes: bytes)
          #expect(Reading(try #require(photograph))?.isPuzzle != true)
        }
      }
    }
    for (width, height, count) in [
      (31, 40, 1240), (40, 40, 1), (.max, .max, 0), (-40, -40, 1600), (0, 0, 0),
    ] {
      let bytes = [UInt8](repeating: 0, count: count)
      #expect(Photograph(width: width, height: height, channels: 1, bytes: bytes) == nil)
    }
  }
}
