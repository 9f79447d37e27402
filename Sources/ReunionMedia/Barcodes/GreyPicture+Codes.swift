extension GreyPicture {
  /// Linear codes that are looked for on one picture at most.
  private static let linearCodesMax = 16

  /// All codes that zxing finds, linear ones over their whole height.
  func codes(_ symbologies: UInt32, linesMin: Int = 2) -> [FoundCode] {
    let linear = symbologies & Symbology.linearBits
    var found = FoundCode.some(in: self, symbologies: symbologies & ~linear)
    // zxing says one linear code at a time: each is painted over, and the next one looked for.
    var rest = self
    for _ in 0..<(linear == 0 ? 0 : Self.linearCodesMax) {
      guard
        var code = FoundCode.some(in: rest, symbologies: linear, linesMin: linesMin).first
      else { break }
      code.corners = LinearExtent(rest).corners(of: code.corners)
      rest = rest.painted(over: code.corners)
      found.append(code)
    }
    return found.map { $0.moved(by: origin) }
  }

  /// Made light where the corners span a field, and a little around.
  private func painted(over corners: [Barcode.Point]) -> GreyPicture {
    let xs = corners.map(\.x)
    let ys = corners.map(\.y)
    guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max()
    else { return self }
    let margin = 3 + max(right - left, bottom - top) / 50
    let columns = max(0, Int(left - margin))..<min(width, Int(right + margin) + 1)
    let rows = max(0, Int(top - margin))..<min(height, Int(bottom + margin) + 1)
    let (all, stride) = (pixels.count, width)
    return filled { from, to in
      to.update(from: from, count: all)
      for row in rows {
        for column in columns { to[row * stride + column] = 255 }
      }
    }
  }
}
