import SudokuCore
import SudokuGrab
import Testing

/// Photographs of printed grids, drawn from a seed: tilted, curled, lit unevenly, blurred and noisy.
struct PhotographRenderer {
  var width = 640
  var height = 480
  /// Rows and columns of the table.
  var rows = 9
  var glyphs = Glyphs.lato
  /// The grid's side in shares of the photograph's shorter one.
  var share: Float = 0.8
  /// Clockwise, in quarters and in degrees.
  var quarters = 0
  var degrees: Float = 0
  var tilt = Point(0, 0)
  /// How far the paper bends, in shares of the grid's side.
  var curl: Float = 0
  var shadow: Float = 0
  var noise: Float = 0
  /// In pixels.
  var blur: Float = 1
  var contrast: Float = 0.7
  /// Whether digits and lines are light on dark.
  var isNegative = false
  /// The candidates that a person noted in each cell, a bit for each digit.
  var notes: [Int] = []
  var seed: UInt64 = 1

  /// The photograph, and the corners of the grid, clockwise from its own top left.
  func photograph(of texts: [Int]) throws -> (photograph: Photograph, corners: [Point]) {
    var random = SplitMix(seed: seed)
    let side = share * Float(min(width, height))
    let turn = (degrees + 90 * Float(quarters)) * Float.pi / 180
    let (sine, cosine) = (Self.sine(turn), Self.sine(turn + Float.pi / 2))
    var bytes: [UInt8] = []
    var corners = [Point](repeating: Point(0, 0), count: 4)
    var nearest = [Float](repeating: .infinity, count: 4)
    for j in 0..<height {
      for i in 0..<width {
        var ink: Float = 0
        var at = Point(0, 0)
        for sample in 0..<9 {
          let (du, dv) = (Float(sample % 3 - 1), Float(sample / 3 - 1))
          let (x, y) = (
            Float(i - width / 2) + du * blur / 1.5, Float(j - height / 2) + dv * blur / 1.5
          )
          let depth = 1 + (tilt.x * x + tilt.y * y) / Float(width)
          let (a, b) = (x / depth / side, y / depth / side)
          let (u, v) = (a * cosine + b * sine, b * cosine - a * sine)
          let place = Point(
            u + curl * (4 * v * v - 1) + 0.5, v + 0.7 * curl * (4 * u * u - 1) + 0.5)
          if sample == 4 { at = place }
          ink += self.ink(place, texts) / 9
        }
        for corner in 0..<4 {
          let target = Point([0, 1, 1, 0][corner], [0, 0, 1, 1][corner])
          let (dx, dy) = (at.x - target.x, at.y - target.y)
          if dx * dx + dy * dy < nearest[corner] {
            nearest[corner] = dx * dx + dy * dy
            corners[corner] = Point(Float(i), Float(j))
          }
        }
        let across = Float(i) / Float(width) - 0.3 - 0.3 * Float(j) / Float(height)
        let light = 215 * (1 - shadow * max(0, min(1, across * 8)))
        let grain =
          noise
          * (Float.random(in: -1...1, using: &random) + Float.random(in: -1...1, using: &random))
        let level = light * (1 - contrast * ink) + grain
        bytes.append(UInt8(max(0, min(255, isNegative ? 250 - level : level))))
      }
    }
    let photograph = Photograph(width: width, height: height, channels: 1, bytes: bytes)
    return (try #require(photograph), corners)
  }

  /// How much ink the page has at a place of which the grid is the unit square.
  private func ink(_ at: Point, _ texts: [Int]) -> Float {
    let (x, y) = (at.x * Float(rows), at.y * Float(rows))
    guard x > -0.06, y > -0.06, x < Float(rows) + 0.06, y < Float(rows) + 0.06 else { return 0 }
    for value in [x, y] {
      let line = value.rounded()
      let isBold = rows == 9 ? Int(line) % 3 == 0 : Int(line) % rows == 0
      if abs(value - line) < (isBold ? 0.05 : 0.02) { return 1 }
    }
    let (column, row) = (Int(x), Int(y))
    guard x >= 0, y >= 0, column < rows, row < rows else { return 0 }
    let digit = texts[row * rows + column]
    let (across, down) = (x - Float(column), y - Float(row))
    guard digit == 0 else { return ink(of: digit, (across - 0.5) * 33, (down - 0.5) * 33) }
    guard !notes.isEmpty else { return 0 }
    // A note has a third of the cell, and is a third as high as a digit.
    let third = min(2, Int(down * 3)) * 3 + min(2, Int(across * 3))
    guard notes[row * rows + column] & (1 << third) != 0 else { return 0 }
    return ink(
      of: third + 1, (across - (Float(third % 3) + 0.5) / 3) * 110,
      (down - (Float(third / 3) + 0.5) / 3) * 110)
  }

  /// The ink of a digit, by where it is from its middle in pixels of its glyph.
  private func ink(of digit: Int, _ x: Float, _ y: Float) -> Float {
    let (u, v) = (x + 8, y + 10)
    guard u >= 0, v >= 0, u < 16, v < 20 else { return 0 }
    let at = glyphs[digit - 1].utf8.dropFirst(Int(v) * 16 + Int(u)).first ?? 48
    return Float(at > 57 ? at - 87 : at - 48) / 15
  }

  /// By its series: what a test draws is the same everywhere.
  static func sine(_ x: Float) -> Float {
    let turns = (x / (2 * Float.pi)).rounded()
    let x = Double(x - turns * 2 * Float.pi)
    var (term, sum) = (x, x)
    for n in 1..<10 {
      term *= -x * x / Double((2 * n) * (2 * n + 1))
      sum += term
    }
    return Float(sum)
  }
}
