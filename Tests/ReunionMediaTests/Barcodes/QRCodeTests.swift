import Testing

@testable import ReunionMedia

@Suite struct QRCodeTests {
  @Test(
    arguments: [
      "https://192.168.1.20:8080/join#k3J-9_abcDEF", "مرحبا بالعالم", "🎉 Fête 写真 👩‍👩‍👧", "1", "a",
    ], QRCode.ErrorCorrection.allCases)
  func `reads back what was written`(text: String, level: QRCode.ErrorCorrection) throws {
    let matrix = try QRCode.matrix(of: text, errorCorrection: level)
    #expect(QRCode.read(matrix) == text)
  }

  @Test func `a light module on a dark one's place is noticed by the reader`() throws {
    let matrix = try QRCode.matrix(of: "https://example.org")
    var modules = matrix.modules
    for index in modules.indices where index % 3 == 0 { modules[index] = false }
    let holed = try #require(
      BarcodeMatrix(width: matrix.width, height: matrix.height, modules: modules))
    #expect(QRCode.read(holed) == nil)
  }

  @Test func `keeps four light modules on each side`() throws {
    let matrix = try QRCode.matrix(of: "https://example.org")
    let dark = (0..<matrix.height).flatMap { y in
      (0..<matrix.width).filter { matrix.isDark($0, y) }.map { (x: $0, y: y) }
    }
    #expect(dark.map(\.x).min() == 4 && dark.map(\.x).max() == matrix.width - 5)
    #expect(dark.map(\.y).min() == 4 && dark.map(\.y).max() == matrix.height - 5)
  }

  @Test func `higher levels of error correction need no smaller codes`() throws {
    let text = String(repeating: "https://example.org/", count: 10)
    let widths = try QRCode.ErrorCorrection.allCases.map {
      try QRCode.matrix(of: text, errorCorrection: $0).width
    }
    #expect(widths == widths.sorted() && Set(widths).count == 4)
  }

  @Test func `refuses text that is empty or too long`() throws {
    #expect(throws: BarcodeError.self) { try QRCode.matrix(of: "") }
    #expect(throws: BarcodeError.self) {
      try QRCode.matrix(of: String(repeating: "é", count: 1477))
    }
    #expect(throws: BarcodeError.self) {
      try QRCode.matrix(of: String(repeating: "é", count: 1476), errorCorrection: .high)
    }
  }

  @Test(arguments: [BarcodeMatrix.TerminalStyle.colored, .plainOnDark, .plainOnLight])
  func `fills a terminal with half the rows and all the columns`(
    style: BarcodeMatrix.TerminalStyle
  ) throws {
    let matrix = try QRCode.matrix(of: "https://example.org")
    let lines = matrix.terminal(style).split(separator: "\n")
    #expect(lines.count == (matrix.height + 1) / 2)
    for line in lines {
      let drawn = line.replacing(#/\u{1B}\[[0-9;]*m/#, with: "")
      #expect(drawn.count == matrix.width)
      #expect(drawn.allSatisfy { "█▀▄ ".contains($0) })
      #expect((drawn != line) == (style == .colored))
    }
  }

  @Test func `draws every dark module into the terminal`() throws {
    let matrix = try QRCode.matrix(of: "https://example.org")
    var modules: [Bool] = []
    for line in matrix.terminal(.plainOnLight).split(separator: "\n") {
      modules += line.map { $0 == "█" || $0 == "▀" }
      modules += line.map { $0 == "█" || $0 == "▄" }
    }
    #expect(Array(modules.prefix(matrix.modules.count)) == matrix.modules)
  }

  @Test func `draws every dark module into the SVG path`() throws {
    let matrix = try QRCode.matrix(of: "https://example.org")
    let svg = matrix.svg(title: "Join")
    var modules = [Bool](repeating: false, count: matrix.modules.count)
    for run in svg.matches(of: #/M(\d+) (\d+)h(\d+)v(\d+)h-(\d+)z/#) {
      let (x, y, length) = (Int(run.1) ?? -1, Int(run.2) ?? -1, Int(run.3) ?? -1)
      #expect(run.3 == run.5)
      for row in y..<y + (Int(run.4) ?? 0) {
        for column in x..<x + length { modules[row * matrix.width + column] = true }
      }
    }
    #expect(modules == matrix.modules)
    #expect(svg.contains("viewBox=\"0 0 \(matrix.width) \(matrix.height)\""))
    #expect(!svg.contains("currentColor"))
  }

  @Test func `a title cannot break out of the SVG`() throws {
    let matrix = try QRCode.matrix(of: "x")
    let svg = matrix.svg(title: "\"><script>alert('&')</script>\u{0}")
    #expect(!svg.contains("<script>") && !svg.contains("\u{0}"))
    #expect(svg.contains("&lt;script&gt;alert(&#39;&amp;&#39;)"))
  }
}

extension QRCode {
  /// Reads a matrix back as a camera would, each module four pixels wide; nil when it is not legible.
  fileprivate static func read(_ matrix: BarcodeMatrix) -> String? {
    let scale = 4
    let width = matrix.width * scale
    let height = matrix.height * scale
    var pixels = [UInt8](repeating: 255, count: width * height)
    for y in 0..<height {
      for x in 0..<width where matrix.isDark(x / scale, y / scale) { pixels[y * width + x] = 0 }
    }
    let picture = GreyPicture(width: width, height: height, pixels: pixels)
    return FoundCode.some(in: picture, symbologies: Symbology.qr.bit).first?.text
  }
}
