import CBarcodes

extension BarcodeMatrix {
  /// Encodes a text, with the quiet zone that the symbology asks for.
  ///
  /// A missing check digit of EAN and UPC is added, and one that is there is checked; the check
  /// character of Code 39 mod 43 is always added. Letters beyond ASCII are written as UTF-8 with
  /// its marker into QR, Aztec and PDF417 codes. A linear code is as high as a seventh of its
  /// width, and at least 24 modules. Runs on the calling thread, in a few milliseconds.
  ///
  /// - Throws: ``BarcodeError`` if the symbology cannot carry the text; its message says which one
  ///   can.
  public init(encoding text: String, as symbology: Symbology) throws(BarcodeError) {
    let checked = try BarcodeText(symbology: symbology, text: text).checked()
    guard symbology != .qr else {
      self = try QRCode.matrix(of: checked)
      return
    }
    let quietZone = symbology.isLinear ? 11 : 2
    do throws(BarcodeError) {
      let matrix = try BarcodeMatrix(
        written: checked, as: symbology, level: -1, margin: symbology.isLinear ? 0 : quietZone)
      self = symbology.isLinear ? matrix.standing(quietZone: quietZone) : matrix
    } catch {
      throw BarcodeError(
        code: .encodingFailed,
        message:
          "This text does not fit into \(symbology) (\(error.message)). Shorten it, or use qr.")
    }
  }

  /// The first row as bars, with a quiet zone at both sides.
  private func standing(quietZone: Int) -> BarcodeMatrix {
    let bars = Array(modules.prefix(width))
    let first = bars.firstIndex(of: true) ?? 0
    let last = bars.lastIndex(of: true) ?? 0
    let quiet = [Bool](repeating: false, count: quietZone)
    let row = quiet + bars[first...max(first, last)] + quiet
    let blank = [Bool](repeating: false, count: row.count)
    let height = max(24, row.count / 7)
    let rows = [blank] + Array(repeating: row, count: height) + [blank]
    return BarcodeMatrix(width: row.count, height: rows.count, modules: rows.flatMap { $0 }) ?? self
  }

  /// What zxing makes of a text; `level` is its 0 to 8, or -1 for its own choice.
  init(written text: String, as symbology: Symbology, level: Int32, margin: Int)
    throws(BarcodeError)
  {
    var modules: UnsafeMutablePointer<UInt8>?
    var (width, height): (Int32, Int32) = (0, 0)
    var message = [CChar](repeating: 0, count: Int(CBARCODES_MESSAGE_BYTES))
    let bytes = text.utf8.map { CChar(bitPattern: $0) }
    let result = cbarcodes_write(
      symbology.bit, bytes, bytes.count, level, Int32(margin), &modules, &width, &height, &message)
    defer { cbarcodes_free(modules) }
    let count = Int(width) * Int(height)
    guard result == 0, let modules,
      let matrix = BarcodeMatrix(
        width: Int(width), height: Int(height), modules: (0..<count).map { modules[$0] != 0 })
    else {
      throw BarcodeError(
        code: .encodingFailed,
        message: String(
          decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
    self = matrix
  }
}
