extension GreyPicture {
  /// Codes that are looked for one by one on a picture at most.
  private static let singleCodesMax = 16

  /// All codes that zxing finds, linear ones over their whole height.
  func codes(_ symbologies: UInt32, linesMin: Int = 2) -> [FoundCode] {
    let linear = symbologies & Symbology.linearBits
    let single = symbologies & (Symbology.dataMatrix.bit | Symbology.aztec.bit)
    var found = FoundCode.some(in: self, symbologies: symbologies & ~linear)
    var rest = found.reduce(self) { $0.painted(over: $1.corners) }
    // zxing says one code of these kinds at a time: each is painted over, and the next looked for.
    for _ in 0..<Self.singleCodesMax where linear != 0 {
      guard
        var code = FoundCode.some(in: rest, symbologies: linear, linesMin: linesMin).first
      else { break }
      code.corners = LinearExtent(rest).corners(of: code.corners)
      rest = rest.painted(over: code.corners)
      found.append(code)
    }
    var next = found
    for _ in 0..<Self.singleCodesMax where single != 0 && !next.isEmpty {
      next = FoundCode.some(in: rest, symbologies: single)
      rest = next.reduce(rest) { $0.painted(over: $1.corners) }
      found += next
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
