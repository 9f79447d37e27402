import Foundation
import Testing

@testable import ReunionMedia

@Suite struct BarcodeReaderTests {
  private let studio: Studio
  private let link = "http://192.168.1.20:8080/#join=k3J-9_abcDEF"

  init() throws {
    studio = try Studio()
  }

  private func read(_ table: Table, orientation: UInt8? = nil) async throws -> [Barcode] {
    try await Studio.reader.read(studio.file("table.png", table.png(orientation: orientation)))
  }

  @Test func `the corners are the code's own, in pixels of the picture`() async throws {
    var table = Table(width: 500, height: 400)
    let matrix = try QRCode.matrix(of: link)
    table.lay(matrix, x: 100, y: 60, modulePixels: 5)
    let code = try #require(try await read(table).first)
    let side = Double(matrix.width - 8) * 5
    let (left, top) = (120.0, 80.0)
    let expected = [(left, top), (left + side, top), (left + side, top + side), (left, top + side)]
    for (corner, place) in zip(code.corners, expected) {
      #expect(abs(corner.x - place.0) <= 5 && abs(corner.y - place.1) <= 5)
    }
    #expect(code.bytes == Array(link.utf8))
  }

  @Test(arguments: [UInt8(1), 2, 3, 4, 5, 6, 7, 8])
  func `corners are of the upright picture, however it is stored`(
    orientation: UInt8
  ) async throws {
    var table = Table(width: 360, height: 300)
    table.lay(try BarcodeMatrix(encoding: "UP", as: .dataMatrix), x: 20, y: 30, modulePixels: 6)
    let stored = table.stored(as: orientation)
    let code = try #require(try await read(stored, orientation: orientation).first)
    #expect(code.text == "UP")
    let corner = code.corners[0]
    #expect(abs(corner.x - 32) <= 6 && abs(corner.y - 42) <= 6, "\(corner)")
  }

  @Test(arguments: BarcodeWritingTests.samples)
  func `every symbology is read at any angle, in bad light, and light on dark`(
    symbology: Symbology, text: String, says: String
  ) async throws {
    let matrix = try BarcodeMatrix(encoding: text, as: symbology)
    let wanted = symbology == .code39Mod43 ? [symbology] : Set(Symbology.allCases)
    var seed: UInt64 = 1
    for (degrees, inverted) in [(90.0, false), (180, false), (23, false), (45, false), (0, true)] {
      var table = Table(width: matrix.width * 4 + 80, height: matrix.height * 4 + 80)
      table.lay(matrix, x: 40, y: 40, modulePixels: 4, inverted: inverted)
      seed += 1
      let photo = table.photographed(degrees: degrees, falloff: 0.4, noise: 10, seed: seed)
      let file = try studio.file("photo.png", photo.png())
      let codes = try await Studio.reader.read(file, for: wanted)
      #expect(codes.map(\.text) == [says], "\(symbology) at \(degrees)°, inverted: \(inverted)")
    }
  }

  @Test func `several codes in one picture are all found, also two that are equal`() async throws {
    var table = Table(width: 1400, height: 900)
    let codes: [(Symbology, String, Int, Int)] = [
      (.qr, link, 40, 40), (.qr, "second", 700, 60), (.code128, "LABEL-1", 40, 500),
      (.code128, "LABEL-1", 40, 700), (.ean13, "978014300723", 700, 520),
      (.dataMatrix, "matrix", 1050, 100),
    ]
    for (symbology, text, x, y) in codes {
      table.lay(
        try BarcodeMatrix(encoding: text, as: symbology), x: x, y: y,
        modulePixels: symbology == .dataMatrix ? 8 : 3)
    }
    let found = try await read(table)
    #expect(
      found.map(\.text).sorted()
        == ["9780143007234", "LABEL-1", "LABEL-1", link, "second", "matrix"].sorted())
    let tops = found.filter { $0.text == "LABEL-1" }.map { $0.corners[0].y }.sorted()
    #expect(tops.count == 2 && tops[1] - tops[0] > 150)
  }

  @Test(arguments: [0.0, 23])
  func `Aztec codes are found away from the middle of the picture too`(
    degrees: Double
  ) async throws {
    var table = Table(width: 1000, height: 800)
    for (text, x, y) in [("first", 40, 40), ("second", 780, 100), ("third", 60, 580)] {
      table.lay(try BarcodeMatrix(encoding: text, as: .aztec), x: x, y: y, modulePixels: 5)
    }
    let photo = table.photographed(degrees: degrees, falloff: 0.3, noise: 8)
    let codes = try await Studio.reader.read(studio.file("photo.png", photo.png()))
    #expect(codes.map(\.text).sorted() == ["first", "second", "third"])
  }

  @Test(arguments: [20.0, 45, 135])
  func `turned labels side by side are told both`(degrees: Double) async throws {
    var table = Table(width: 640, height: 400)
    for (text, y) in [("LABEL-ONE", 20), ("NO-2", 200)] {
      table.lay(try BarcodeMatrix(encoding: text, as: .code128), x: 20, y: y, modulePixels: 3)
    }
    let codes = try await read(table.photographed(degrees: degrees))
    #expect(codes.map(\.text).sorted() == ["LABEL-ONE", "NO-2"])
  }

  @Test func `only what is asked for is found`() async throws {
    var table = Table(width: 700, height: 500)
    table.lay(try BarcodeMatrix(encoding: "A-1", as: .code39), x: 20, y: 20, modulePixels: 2)
    table.lay(try BarcodeMatrix(encoding: "A-1", as: .code39Mod43), x: 20, y: 200, modulePixels: 2)
    table.lay(try QRCode.matrix(of: "q"), x: 450, y: 300, modulePixels: 3)
    let file = try studio.file("table.png", table.png())
    #expect(try await Studio.reader.read(file, for: [.qr]).map(\.text) == ["q"])
    #expect(try await Studio.reader.read(file, for: [.aztec]).isEmpty)
    #expect(try await Studio.reader.read(file, for: []).isEmpty)
    let checked = try await Studio.reader.read(file, for: [.code39Mod43])
    #expect(checked.map(\.text) == ["A-1"] && checked.map(\.symbology) == [.code39Mod43])
    #expect(try await Studio.reader.read(file, for: [.code39]).count == 2)
  }

  @Test func `pictures without a code have none`() async throws {
    var random = Seeded(seed: 4)
    for kind in 0..<6 {
      var table = Table(width: 320, height: 240)
      // Stripes and fields of chance, which are what codes look like.
      for _ in 0..<60 {
        let side = Int.random(in: 1...(kind + 1) * 4, using: &random)
        let bars = try #require(
          BarcodeMatrix(
            width: 30, height: kind % 2 == 0 ? 1 : 30,
            modules: (0..<30 * (kind % 2 == 0 ? 1 : 30)).map { _ in Bool.random(using: &random) }))
        table.lay(
          bars, x: .random(in: 0..<320, using: &random), y: .random(in: 0..<240, using: &random),
          modulePixels: side)
      }
      #expect(try await read(table).isEmpty)
    }
  }

  @Test func `a picture that ends zxing costs only itself`() async throws {
    // Two labels that say the same end zxing 1.4.0 as Debian builds it, with its own options.
    var table = Table(width: 700, height: 700)
    for y in [40, 400] {
      table.lay(try BarcodeMatrix(encoding: "LABEL", as: .code128), x: 40, y: y, modulePixels: 3)
    }
    let file = try studio.file("labels.png", table.png())
    let byDefault = studio.barcodeReader(byDefault: true)
    await #expect(throws: ImageError(.workerDied, detail: "closed, signal 6")) {
      try await byDefault.read(file)
    }
    let single = try studio.file("one.png", QRCode.matrix(of: "next").png())
    #expect(try await byDefault.read(single).map(\.text) == ["next"])
    #expect(byDefault.state.workersStarted == 2)
    #expect(try await Studio.reader.read(file).map(\.text) == ["LABEL", "LABEL"])
  }

  @Test func `what is no picture is told as such`() async throws {
    let file = try studio.file("text", Array("no picture".utf8))
    await #expect(throws: ImageError(.notAnImage, detail: "no known signature")) {
      try await Studio.reader.read(file)
    }
    var limits = ImageLimits.patient
    limits.pixelsMax = 1000
    let small = studio.barcodeReader(limits)
    do {
      _ = try await small.read(studio.file("large.png", QRCode.matrix(of: "x").png()))
      Issue.record("read a picture over the limit")
    } catch let error as ImageError {
      #expect(error.code == .tooManyPixels)
    }
  }

  @Test func `pictures of any size, and of noise, trap nothing`() {
    var random = Seeded(seed: 12)
    for _ in 0..<400 {
      let (width, height) = (
        Int.random(in: 1...70, using: &random), Int.random(in: 1...70, using: &random)
      )
      let pixels = (0..<width * height).map { _ in UInt8.random(in: 0...255, using: &random) }
      let picture = GreyPicture(width: width, height: height, pixels: pixels)
      #expect(BarcodeSearch(symbologies: .max).codes(in: picture).isEmpty)
    }
  }
}
