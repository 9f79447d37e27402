import ReunionMedia
import SudokuCore
import SudokuGrab

/// What was read of a photograph, as it comes from the worker, goes to a page and stands in `--json`.
struct Grab: Codable, Equatable, Sendable {
  /// 81 characters, with a dot for an empty cell.
  let cells: String
  /// Whether they are a puzzle with one solution.
  let isPuzzle: Bool
  /// Whether nothing is in doubt.
  let isSure: Bool
  /// The cells that a person should look at, 0 to 80.
  let doubts: [Int]
  /// How likely the least likely cell is, 0 to 1.
  let confidence: Double
  /// The grid's corners, clockwise from its own top left, in pixels of the upright photograph.
  let corners: [[Double]]
  /// The upright photograph's size in pixels.
  let width: Int
  let height: Int

  /// Reads the pixels; nil if there is no grid.
  init?(_ pixels: PicturePixels) {
    guard
      let photograph = Photograph(
        width: pixels.width, height: pixels.height, channels: 3, bytes: pixels.bytes),
      let reading = Reading(photograph)
    else { return nil }
    cells = reading.grid.text
    (isPuzzle, isSure, doubts) = (reading.isPuzzle, reading.isSure, reading.doubts)
    confidence = Double((reading.confidence * 1000).rounded()) / 1000
    (width, height) = (pixels.wholeWidth, pixels.wholeHeight)
    let scale = Float(width) / Float(pixels.width)
    corners = reading.corners.map {
      [Double(($0.x * scale).rounded()), Double(($0.y * scale).rounded())]
    }
  }

  static let noGrid =
    "No Sudoku was found. The picture must show the whole grid, sharp, flat and large enough to read."
}
