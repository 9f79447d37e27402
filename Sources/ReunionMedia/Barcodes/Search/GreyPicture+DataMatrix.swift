extension GreyPicture {
  /// Data Matrix codes anywhere in the picture.
  ///
  /// zxing 1.4.0 looks for them along the two middle lines of a picture alone: so each strip across
  /// the picture is a picture.
  var dataMatrixCodes: [FoundCode] {
    let strip = max(120, shortSide / 3)
    guard height > strip else { return [] }
    var found: [FoundCode] = []
    for y in stride(from: strip / 10 - strip / 2, to: height - strip / 2, by: strip / 5) {
      let part = cropped(x: 0, y: y, width: width, height: strip)
      guard part.shortSide >= 16 else { continue }
      for code in FoundCode.some(in: part, symbologies: Symbology.dataMatrix.bit) {
        let code = code.moved(by: part.origin)
        if !found.contains(where: { $0.isSame(as: code) }) { found.append(code) }
      }
    }
    return found
  }
}
