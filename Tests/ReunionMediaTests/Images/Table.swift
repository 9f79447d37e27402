@testable import ReunionMedia

/// A picture on which test codes are laid, photographed and written to a file.
struct Table {
  private(set) var width: Int
  private(set) var height: Int
  private(set) var pixels: [UInt8]

  /// An even grey table.
  init(width: Int, height: Int, grey: UInt8 = 230) {
    (self.width, self.height) = (width, height)
    pixels = Array(repeating: grey, count: width * height)
  }

  /// Lays a code so that its top left corner, quiet zone included, is there.
  mutating func lay(
    _ matrix: BarcodeMatrix, x: Int, y: Int, modulePixels: Int, inverted: Bool = false
  ) {
    for row in 0..<matrix.height * modulePixels {
      for column in 0..<matrix.width * modulePixels where y + row < height && x + column < width {
        let isDark = matrix.isDark(column / modulePixels, row / modulePixels) != inverted
        pixels[(y + row) * width + x + column] = isDark ? 25 : 235
      }
    }
  }

  var picture: GreyPicture { GreyPicture(width: width, height: height, pixels: pixels) }

  /// The table seen turned, softened by `blur` pixels, with light that falls to one side and noise.
  func photographed(
    degrees: Double = 0, blur: Int = 0, falloff: Double = 0, noise: Int = 0, seed: UInt64 = 1
  ) -> Table {
    var seen = degrees == 0 ? picture : picture.turned(degrees: degrees)
    if blur > 0 { seen = seen.blurred(radius: blur) }
    var table = Table(width: seen.width, height: seen.height)
    var random = Seeded(seed: seed)
    for y in 0..<seen.height {
      for x in 0..<seen.width {
        let light = 1 - falloff * Double(x) / Double(seen.width)
        let grain = noise > 0 ? Int.random(in: -noise...noise, using: &random) : 0
        let at = y * seen.width + x
        table.pixels[at] = UInt8(clamping: Int(Double(seen.pixels[at]) * light) + grain)
      }
    }
    return table
  }

  /// What a camera stores that notes this EXIF orientation, of a scene that is this table.
  func stored(as orientation: UInt8) -> Table {
    var table = orientation > 4 ? Table(width: height, height: width) : self
    let (right, bottom) = (table.width - 1, table.height - 1)
    for y in 0..<height {
      for x in 0..<width {
        let place: (x: Int, y: Int) =
          switch orientation {
          case 2: (right - x, y)
          case 3: (right - x, bottom - y)
          case 4: (x, bottom - y)
          case 5: (y, x)
          case 6: (y, bottom - x)
          case 7: (right - y, bottom - x)
          case 8: (right - y, x)
          default: (x, y)
          }
        table.pixels[place.y * table.width + place.x] = pixels[y * width + x]
      }
    }
    return table
  }

  /// A PNG, with an EXIF orientation where one is given.
  func png(orientation: UInt8? = nil) -> [UInt8] {
    var lines: [UInt8] = []
    for row in 0..<height { lines += [0] + pixels[row * width..<(row + 1) * width] }
    let exif: [(kind: String, content: [UInt8])] =
      orientation.map {
        // Big-endian, one directory with one entry: tag 0x0112, a short.
        [
          (
            "eXIf",
            [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 1, 18, 0, 3, 0, 0, 0, 1, 0, $0, 0, 0, 0, 0, 0, 0]
          )
        ]
      } ?? []
    return PNGFile.grey(bits: 8, width: width, height: height, lines: lines, extra: exif)
  }
}
