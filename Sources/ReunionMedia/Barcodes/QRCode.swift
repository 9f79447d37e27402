/// Makes QR codes (ISO/IEC 18004).
///
/// ```swift
/// let link = "http://192.168.1.20:8080/#join=SECRET"
/// let code = try QRCode.matrix(of: link, errorCorrection: .low)
/// print(code.svg(title: "QR code of the invitation"))
/// ```
///
/// `BarcodeMatrix(encoding:as:)` makes one as well, with medium error correction.
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
  package static let quietZone = 4

  /// Encodes text, with a quiet zone of four modules around it.
  ///
  /// ASCII text is written without a character set, other text as UTF-8 with its marker. Runs on
  /// the calling thread, in well under a millisecond for a link.
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
    do throws(BarcodeError) {
      return try BarcodeMatrix(
        written: text, as: .qr, level: errorCorrection.rawValue * 2 + 1, margin: quietZone)
    } catch {
      throw BarcodeError(
        code: .encodingFailed,
        message: "This text does not fit into a QR code (\(error.message)). Shorten it.")
    }
  }
}
