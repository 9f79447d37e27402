import Testing

@testable import ReunionMedia

@Suite struct BarcodeWritingTests {
  /// A text of each symbology, and what is read of it.
  static let samples: [(Symbology, String, String)] = [
    (.qr, "https://example.org/مرحبا", "https://example.org/مرحبا"),
    (.aztec, "Aztec 写真", "Aztec 写真"), (.pdf417, "PDF417, Grüße", "PDF417, Grüße"),
    (.code128, "ABC-abc-1234", "ABC-abc-1234"), (.code39, "HELLO-39 $/+%", "HELLO-39 $/+%"),
    (.code39Mod43, "CODE39", "CODE39"), (.code93, "Code 93!", "Code 93!"),
    (.ean13, "978014300723", "9780143007234"), (.ean13, "9780143007234", "9780143007234"),
    (.ean8, "9638507", "96385074"), (.upcE, "0123456", "01234565"),
    (.upcA, "01234567890", "012345678905"), (.dataMatrix, "Data é", "Data é"),
    (.itf, "00012345678905", "00012345678905"), (.codabar, "29458", "A29458A"),
    (.codabar, "C2.9/4+58D", "C2.9/4+58D"),
  ]

  @Test(arguments: samples)
  func `every symbology is read back from its PNG, with its own name`(
    symbology: Symbology, text: String, read: String
  ) async throws {
    let studio = try Studio()
    let file = try studio.file(
      "code.png", BarcodeMatrix(encoding: text, as: symbology).png(modulePixels: 3))
    let wanted = symbology == .code39Mod43 ? [symbology] : Set(Symbology.allCases)
    let codes = try await Studio.reader.read(file, for: wanted)
    #expect(codes.map(\.text) == [read] && codes.map(\.symbology) == [symbology])
  }

  @Test func `there is a sample of each symbology`() {
    #expect(Set(Self.samples.map(\.0)) == Set(Symbology.allCases))
  }

  @Test(arguments: samples)
  func `SVG and terminal draw the same modules`(
    symbology: Symbology, text: String, read: String
  ) throws {
    let matrix = try BarcodeMatrix(encoding: text, as: symbology)
    var drawn = [Bool](repeating: false, count: matrix.modules.count)
    for run in matrix.svg(title: "x").matches(of: #/M(\d+) (\d+)h(\d+)v(\d+)h/#) {
      let (x, y) = (try #require(Int(run.1)), try #require(Int(run.2)))
      let (width, height) = (try #require(Int(run.3)), try #require(Int(run.4)))
      for row in y..<y + height {
        for column in x..<x + width { drawn[row * matrix.width + column] = true }
      }
    }
    #expect(drawn == matrix.modules)
    var lines: [Bool] = []
    for line in matrix.terminal(.plainOnLight).split(separator: "\n") {
      lines += line.map { $0 == "█" || $0 == "▀" }
      lines += line.map { $0 == "█" || $0 == "▄" }
    }
    #expect(Array(lines.prefix(matrix.modules.count)) == matrix.modules)
  }

  @Test(arguments: [
    (Symbology.ean13, "9780143007235", BarcodeError.Code.badCheckDigit, "would be 4"),
    (.ean13, "12345", .badLength, "13 digits, or 12"), (.ean8, "1234567a", .badCharacter, "“a”"),
    (.upcE, "21234567", .badCharacter, "0 or 1"), (.upcA, "", .badLength, "empty"),
    (.code39, "abc", .badCharacter, "code128"), (.code128, "é", .badCharacter, "qr"),
    (.code128, "a\u{1B}[31mé", .badCharacter, "“é”"), (.itf, "1234567", .badLength, "0 in front"),
    (.dataMatrix, "写", .badCharacter, "qr"), (.codabar, "A123", .badCharacter, "both"),
    (.codabar, "12x4", .badCharacter, "“x”"), (.code39, "é", .badCharacter, "code128"),
    (.aztec, String(repeating: "a", count: 1915), .badLength, "1914"),
    (.code93, String(repeating: "a", count: 80), .encodingFailed, "qr"),
    (.ean13, "٩٧٨٠١٤٣٠٠٧٢٣", .badCharacter, "digits"),
  ])
  func `text that a symbology cannot carry is refused with what to do`(
    symbology: Symbology, text: String, code: BarcodeError.Code, says: String
  ) {
    do throws(BarcodeError) {
      _ = try BarcodeMatrix(encoding: text, as: symbology)
      Issue.record("\(symbology) took \(text)")
    } catch {
      #expect(error.code == code)
      #expect(error.message.contains(says), "\(error.message)")
    }
  }

  @Test func `no text traps any encoder`() {
    var random = Seeded(seed: 9)
    let letters = Array("0123456789AZaz-$+ é写\u{0}\u{1B}\n").map(String.init)
    for _ in 0..<3_000 {
      let text = (0..<Int.random(in: 0...40, using: &random))
        .map { _ in letters.randomElement(using: &random) ?? "" }.joined()
      for symbology in Symbology.allCases {
        _ = try? BarcodeMatrix(encoding: text, as: symbology)
      }
    }
  }

  @Test
  func `the check character of Code 39 is right for the standard's example, and for no other`() {
    #expect(Code39Check.body(of: "CODE39W") == "CODE39")
    #expect(Code39Check.body(of: "CODE39X") == nil)
    #expect(Code39Check.body(of: "W") == nil && Code39Check.body(of: "") == nil)
  }
}
