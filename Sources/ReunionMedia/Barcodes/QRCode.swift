import CBarcodes

/// Makes QR codes (ISO/IEC 18004).
public enum QRCode {
  /// How much of a code may be dirty or covered and still be read.
  public enum ErrorCorrection: Int32, Sendable, Hashable, CaseIterable {
    /// About 7 %: the smallest code.
    case low = 0
    /// About 15 %.
    case medium = 1
    /// About 25 %.
    case quartile = 2
    /// About 30 %, for a code with a logo on it.
    case high = 3
  }

  /// The light modules around a code that the standard asks for.
  public static let quietZone = 4

  /// Encodes text, with a quiet zone of four modules around it.
  ///
  /// ASCII text is written without a character set, all else as UTF-8 with its marker. Runs on the
  /// calling thread, in well under a millisecond for a link.
  ///
  /// - Parameters:
  ///   - text: 1 to 2,953 bytes at `.low`, fewer at higher levels.
  ///   - errorCorrection: How much damage the code survives.
  /// - Returns: The modules, quiet zone included.
  /// - Throws: ``BarcodeError`` when the text is empty or too long.
  public static func matrix(
    of text: String, errorCorrection: ErrorCorrection = .medium
  ) throws(BarcodeError) -> BarcodeMatrix {
    guard (1...2953).contains(text.utf8.count) else {
      throw BarcodeError(
        code: .badLength,
        message: "A QR code holds 1 to 2,953 bytes, this text has \(text.utf8.count). Shorten it.")
    }
    var modules: UnsafeMutablePointer<UInt8>?
    var message = [CChar](repeating: 0, count: Int(CBARCODES_MESSAGE_BYTES))
    let bytes = text.utf8.map { CChar(bitPattern: $0) }
    let side = Int(
      cbarcodes_write_qr(
        bytes, bytes.count, errorCorrection.rawValue, Int32(quietZone), &modules, &message))
    defer { cbarcodes_free(modules) }
    guard side > 0, let modules,
      let matrix = BarcodeMatrix(
        width: side, height: side, modules: (0..<side * side).map { modules[$0] != 0 })
    else {
      let reason = String(
        decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      throw BarcodeError(
        code: .encodingFailed,
        message: "This text does not fit into a QR code (\(reason)). Shorten it.")
    }
    return matrix
  }

  /// Reads a matrix back as a camera would, each module four pixels wide; nil when it is not legible.
  static func read(_ matrix: BarcodeMatrix) -> String? {
    let scale = 4
    let width = matrix.width * scale
    let height = matrix.height * scale
    var pixels = [UInt8](repeating: 255, count: width * height)
    for y in 0..<height {
      for x in 0..<width where matrix.isDark(x / scale, y / scale) { pixels[y * width + x] = 0 }
    }
    var text: UnsafeMutablePointer<UInt8>?
    var message = [CChar](repeating: 0, count: Int(CBARCODES_MESSAGE_BYTES))
    let length = Int(cbarcodes_read_qr(pixels, Int32(width), Int32(height), &text, &message))
    defer { cbarcodes_free(text) }
    guard length > 0, let text else { return nil }
    return String(decoding: UnsafeBufferPointer(start: text, count: length), as: UTF8.self)
  }
}
