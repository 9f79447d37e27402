extension BarcodeMatrix {
  /// Draws the matrix as a stand-alone SVG picture, black on white whatever the page's colours are.
  ///
  /// One unit of the view box is one module. The picture has no size of its own and fills its
  /// container. You can put it inline into HTML.
  ///
  /// - Parameter title: What the code is for, read aloud by screen readers; any text.
  /// - Returns: One `svg` element, without an XML declaration.
  public func svg(title: String) -> String {
    let label = Self.escaped(title)
    var path = ""
    var row = 0
    while row < height {
      let runs = darkRuns(row: row)
      // Rows that are alike, as all are of a linear code, are drawn at once.
      var end = row + 1
      while end < height, darkRuns(row: end) == runs { end += 1 }
      for run in runs {
        path += "M\(run.lowerBound) \(row)h\(run.count)v\(end - row)h-\(run.count)z"
      }
      row = end
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" role="img" \
      aria-label="\(label)" shape-rendering="crispEdges"><title>\(label)</title>\
      <rect width="\(width)" height="\(height)" fill="#fff"/>\
      <path fill="#000" d="\(path)"/></svg>
      """
  }

  /// Escapes text for XML content and attributes, without the characters that XML forbids.
  private static func escaped(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "'": out += "&#39;"
      case "\t", "\n", "\r": out += " "
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: break
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}
