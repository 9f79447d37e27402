extension BarcodeMatrix {
  /// Draws the matrix as a PNG file of black and white pixels.
  ///
  /// - Parameter modulePixels: Pixels along a module, 1 to 64. Eight prints well on a page.
  /// - Returns: The file, uncompressed: an eighth of a byte for each pixel.
  public func png(modulePixels: Int = 8) -> [UInt8] {
    let scale = min(max(modulePixels, 1), 64)
    let stride = (width * scale + 7) / 8
    var lines: [UInt8] = []
    for row in 0..<height {
      // The filter of the line, none, and then its pixels, 1 for white.
      var line = [UInt8](repeating: 0xFF, count: stride + 1)
      line[0] = 0
      for run in darkRuns(row: row) {
        for x in run.lowerBound * scale..<run.upperBound * scale {
          line[1 + x / 8] &= ~(0x80 >> UInt8(x % 8))
        }
      }
      for _ in 0..<scale { lines += line }
    }
    return PNGFile.grey(bits: 1, width: width * scale, height: height * scale, lines: lines)
  }
}
