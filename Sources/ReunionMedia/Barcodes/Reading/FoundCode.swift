import CBarcodes

/// A code as zxing found it in one picture that was made of the original.
struct FoundCode: Hashable {
  var symbology: Symbology
  var text: String
  var bytes: [UInt8]
  var corners: [Barcode.Point]
  /// Scan lines that agreed, for linear symbologies.
  var lineCount: Int
  /// Nil where the code is whole.
  var part: Barcode.Part?

  /// What zxing finds at once, only one where a linear symbology is asked for; none where it fails.
  static func some(
    in picture: GreyPicture, symbologies: UInt32, linesMin: Int = 2, byDefault: Bool = false
  ) -> [FoundCode] {
    var results: UnsafeMutablePointer<cbarcodes_result>?
    var message = [CChar](repeating: 0, count: Int(CBARCODES_MESSAGE_BYTES))
    let (width, height) = (Int32(picture.width), Int32(picture.height))
    let count =
      byDefault
      ? cbarcodes_read_by_default(
        picture.pixels, width, height, symbologies, &results, &message)
      : cbarcodes_read(
        picture.pixels, width, height, symbologies, Int32(linesMin), &results, &message)
    defer { cbarcodes_free_results(results, max(count, 0)) }
    return UnsafeBufferPointer(start: results, count: Int(max(count, 0))).compactMap {
      FoundCode($0)
    }
  }

  func moved(by map: Affine) -> FoundCode {
    var code = self
    code.corners = corners.map { corner in
      let place = map(corner.x, corner.y)
      return Barcode.Point(x: place.x, y: place.y)
    }
    return code
  }

  private init?(_ result: cbarcodes_result) {
    guard let symbology = Symbology(bit: result.symbology) else { return nil }
    self.symbology = symbology
    text = String(
      decoding: UnsafeBufferPointer(start: result.text, count: result.text_length), as: UTF8.self)
    bytes = Array(UnsafeBufferPointer(start: result.bytes, count: result.bytes_length))
    let c = result.corners
    corners = [(c.0, c.1), (c.2, c.3), (c.4, c.5), (c.6, c.7)].map { x, y in
      Barcode.Point(x: Double(x), y: Double(y))
    }
    lineCount = Int(result.line_count)
    let sequence = UnsafeBufferPointer(start: result.sequence, count: result.sequence_length)
    part = Barcode.Part(
      index: Int(result.part_index), count: Int(result.part_count),
      sequence: String(decoding: sequence, as: UTF8.self))
  }
}

extension FoundCode {
  /// Whether both are readings of one code.
  func isSame(as other: FoundCode) -> Bool {
    symbology == other.symbology && bytes == other.bytes && part == other.part && meets(other)
  }

  /// Whether the fields that both span have a common part, about.
  func meets(_ other: FoundCode) -> Bool {
    let (one, two) = (bounds, other.bounds)
    return one.left <= two.right && two.left <= one.right && one.top <= two.bottom
      && two.top <= one.bottom
  }

  private var bounds: (left: Double, right: Double, top: Double, bottom: Double) {
    let (xs, ys) = (corners.map(\.x), corners.map(\.y))
    return (xs.min() ?? 0, xs.max() ?? 0, ys.min() ?? 0, ys.max() ?? 0)
  }
}
