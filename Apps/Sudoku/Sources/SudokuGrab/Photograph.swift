/// The pixels of a photograph: grey to find the grid, green to read digits, since red ones stay dark in it.
public struct Photograph: Sendable {
  /// The longest side that is read; a larger photograph is shrunk first.
  static let sideMax = 1000
  /// The most pixels that are taken in.
  public static let pixelsMax = 100_000_000

  let grey: Plane
  let green: Plane
  /// What one pixel of the planes is in the photograph.
  let scale: Float

  /// A photograph of width by height pixels, whose bytes stand row by row without padding; nil where
  /// they are fewer or more, a side is under 32, or there are too many pixels.
  ///
  /// Channels are 1 for grey, 3 for red, green and blue, or 4 with a last one that is passed over.
  public init?(width: Int, height: Int, channels: Int, bytes: [UInt8]) {
    guard width >= 32, height >= 32, width <= Self.pixelsMax / height,
      [1, 3, 4].contains(channels), bytes.count == width * height * channels
    else { return nil }
    let scale = max(1, Float(max(width, height)) / Float(Self.sideMax))
    self.scale = scale
    green = bytes.withUnsafeBufferPointer { bytes in
      let second = channels == 1 ? 0 : 1
      return Plane(width: width, height: height) { x, y in
        Float(bytes[(y &* width &+ x) &* channels &+ second])
      }
    }.shrunk(by: scale)
    guard channels > 1 else {
      grey = green
      return
    }
    grey = bytes.withUnsafeBufferPointer { bytes in
      Plane(width: width, height: height) { x, y in
        let i = (y &* width &+ x) &* channels
        let (red, blue) = (Float(bytes[i]), Float(bytes[i &+ 2]))
        return 0.299 * red + 0.587 * Float(bytes[i &+ 1]) + 0.114 * blue
      }
    }.shrunk(by: scale)
  }

  private init(grey: Plane, green: Plane, scale: Float) {
    (self.grey, self.green, self.scale) = (grey, green, scale)
  }

  /// Whether most of it is dark, as a screen by night is.
  var isDark: Bool {
    let sample = stride(from: 0, to: grey.values.count, by: 61).map { grey.values[$0] }
    return sample.count { $0 < 100 } * 2 > sample.count
  }

  /// Light for dark: what is light on dark becomes ink on paper.
  var negative: Photograph {
    Photograph(grey: grey.negative, green: green.negative, scale: scale)
  }

  /// The same without marks that are smaller than the digits of cells of some pixels.
  func withoutNotes(inCells cell: Float) -> Photograph {
    let notes = Notes(in: grey, cell: cell)
    return Photograph(
      grey: notes.erased(from: grey), green: notes.erased(from: green), scale: scale)
  }

  /// The same at half the size, where noise and small print are less.
  var halved: Photograph {
    Photograph(grey: grey.shrunk(by: 2), green: green.shrunk(by: 2), scale: scale * 2)
  }
}
