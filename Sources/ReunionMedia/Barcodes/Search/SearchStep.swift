/// One copy of a picture in which codes are looked for: how large, how turned, how treated.
struct SearchStep: Hashable {
  enum Size: Hashable {
    case shrunk(Int)
    case scaled(Double)
  }
  enum Treatment: Hashable {
    case plain
    case inverted
    case sharpened(radius: Int, amount: Int)
    /// Radii in parts of the shorter side.
    case flattened(part: Int)
    case thresholded(part: Int, offset: Int)
    case median
    case turned(degrees: Double)
  }

  var size: Size
  var treatment: Treatment = .plain
  /// Scan lines that must agree on a linear code.
  var linesMin = 2

  func copy(of picture: GreyPicture) -> GreyPicture {
    let sized =
      switch size {
      case .shrunk(let factor): picture.shrunk(by: factor)
      case .scaled(let factor): picture.scaled(by: factor)
      }
    switch treatment {
    case .plain: return sized
    case .inverted: return sized.inverted
    case .sharpened(let radius, let amount):
      return sized.sharpened(radius: radius, amount: amount)
    case .flattened(let part):
      return sized.flattened(radius: max(8, sized.shortSide / part), gain: 3)
    case .thresholded(let part, let offset):
      return sized.thresholded(radius: max(4, sized.shortSide / part), offset: offset)
    case .median: return sized.median
    case .turned(let degrees): return sized.turned(degrees: degrees)
    }
  }

  /// How many pixels the copy has if the picture has `count`.
  func pixels(of count: Int) -> Int {
    switch size {
    case .shrunk(let factor): count / (factor * factor)
    case .scaled(let factor): Int(Double(count) * factor * factor)
    }
  }
}
