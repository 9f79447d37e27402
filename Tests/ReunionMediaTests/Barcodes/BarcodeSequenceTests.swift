import Testing

@testable import ReunionMedia

/// Codes that hold a text together: put together where all are there, and never taken for wholes.
@Suite struct BarcodeSequenceTests {
  /// Parts of a text, as bytes, with the parity of all.
  static func parts(
    _ bytes: [[UInt8]], symbology: Symbology = .qr, sequence: String? = nil, count: Int? = nil
  ) -> [Barcode] {
    let parity = bytes.joined().reduce(0, ^)
    return bytes.enumerated().map { index, bytes in
      Barcode(
        symbology: symbology, text: String(decoding: bytes, as: UTF8.self), bytes: bytes,
        corners: [Barcode.Point](repeating: .init(x: Double(index), y: 0), count: 4),
        part: .init(
          number: index + 1, count: count ?? 3, sequence: sequence ?? "\(parity)"))
    }
  }

  /// The letter é is in two parts.
  static let bytes: [[UInt8]] = [
    Array("Caf".utf8) + [0xC3], [0xA9] + Array(" au".utf8), [32, 0x6C],
  ]
  static let whole = BarcodeSequence.Outcome.whole(
    text: "Café au l", bytes: Array("Café au l".utf8))

  @Test func `parts are one text in any order, and with doubles`() {
    let parts = Self.parts(Self.bytes)
    for order in [[0, 1, 2], [2, 0, 1], [1, 1, 0, 2, 0]] {
      let found = BarcodeSequence.all(in: order.map { parts[$0] })
      #expect(found.count == 1)
      #expect(found[0].outcome == Self.whole)
      #expect(found[0].parts.map(\.part?.number) == [1, 2, 3] && found[0].count == 3)
    }
  }

  @Test func `what is missing is named, and nothing is joined`() {
    let parts = Self.parts(Self.bytes)
    for (given, missing) in [([1], [1, 3]), ([0, 2], [2]), ([0, 1], [3])] {
      #expect(
        BarcodeSequence.all(in: given.map { parts[$0] }).map(\.outcome) == [.missing(missing)])
    }
  }

  @Test func `parts of two texts stay apart, by their parity or by what they say twice`() {
    let other = Self.parts([[65], [66], [67]])
    let one = Self.parts(Self.bytes)
    #expect(one[0].part?.sequence != other[0].part?.sequence)
    let both = BarcodeSequence.all(in: [one[0], other[0], one[1], other[2], one[2]])
    #expect(both.map(\.outcome) == [Self.whole, .missing([2])])
    let alike = Self.parts([[65], [66], [67]], sequence: one[0].part?.sequence)
    #expect(BarcodeSequence.all(in: one + alike).map(\.outcome) == [.mixed(1)])
    // With the parity of another text: the parts do not belong together.
    #expect(BarcodeSequence.all(in: alike).map(\.outcome) == [.wrongParity])
    #expect(
      BarcodeSequence.all(in: [alike[0], one[1], one[2]]).map(\.outcome) == [.wrongParity])
    // Negative control: an id of another symbology is no parity.
    let named = Self.parts([[65], [66], [67]], symbology: .dataMatrix, sequence: "1001")
    #expect(
      BarcodeSequence.all(in: named).map(\.outcome) == [.whole(text: "ABC", bytes: [65, 66, 67])])
  }

  @Test func `whole codes are in no sequence, and an unknown count is never whole`() {
    let plain = Barcode(symbology: .qr, text: "a", bytes: [97], corners: [])
    #expect(BarcodeSequence.all(in: [plain]).isEmpty && plain.part == nil)
    let codes = [1, 3].map { number in
      Barcode(
        symbology: .pdf417, text: "a", bytes: [97], corners: [],
        part: .init(number: number, count: nil, sequence: "9"))
    }
    #expect(BarcodeSequence.all(in: codes).map(\.outcome) == [.missing([2])])
    #expect(BarcodeSequence.all(in: [codes[0]]).map(\.outcome) == [.missing([])])
  }

  @Test func `the worker's answer has the part`() throws {
    let codes =
      Self.parts(Self.bytes) + [
        Barcode(
          symbology: .qr, text: "a", bytes: [97],
          corners: [Barcode.Point](repeating: .init(x: 1, y: 2), count: 4))
      ]
    guard case .barcodes(let read)? = WorkerAnswer(packed: WorkerAnswer.barcodes(codes).packed)
    else {
      Issue.record("no answer")
      return
    }
    #expect(read == codes)
    for (index, count) in [(-1, 3), (3, 3), (0, -1), (1 << 30, 0)] {
      #expect(Barcode.Part(index: index, count: count, sequence: "") == nil)
    }
  }
}
