import CBarcodes

/// A kind of barcode that is read and written.
///
/// ```swift
/// let wares: Set<Symbology> = [.ean13, .ean8, .upcA, .upcE]
/// for code in try await BarcodeReader().read("/photos/shelf.jpg", for: wares) {
///   print(code.symbology, code.text)    // EAN-13 9780143007234
/// }
/// ```
///
/// The raw value is the name that the command `reunion` takes.
public enum Symbology: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  /// QR Code (ISO/IEC 18004).
  case qr
  /// Aztec Code (ISO/IEC 24778).
  case aztec
  /// PDF417 (ISO/IEC 15438).
  case pdf417
  /// Code 128 (ISO/IEC 15417).
  case code128
  /// Code 39 (ISO/IEC 16388), without a check character of its own.
  case code39
  /// Code 39 whose last character is the modulo 43 check of the others, which is not in the text.
  ///
  /// Nothing in the code itself tells it from ``code39``. The reader takes it for this kind only if
  /// you ask for this kind and not for plain Code 39.
  case code39Mod43 = "code39mod43"
  /// Code 93 (AIM USS-93).
  case code93
  /// EAN-13 (ISO/IEC 15420): 13 digits, the last one a check.
  case ean13
  /// EAN-8 (ISO/IEC 15420): 8 digits, the last one a check.
  case ean8
  /// UPC-E (ISO/IEC 15420): 8 digits, a UPC-A without its zeros.
  case upcE = "upce"
  /// UPC-A (ISO/IEC 15420): 12 digits, an EAN-13 that begins with 0.
  case upcA = "upca"
  /// Data Matrix ECC 200 (ISO/IEC 16022).
  case dataMatrix = "datamatrix"
  /// Interleaved 2 of 5 (ISO/IEC 16390): an even number of digits.
  case itf
  /// Codabar (EN 798).
  case codabar

  /// The name as a person writes it.
  public var description: String {
    switch self {
    case .qr: "QR Code"
    case .aztec: "Aztec Code"
    case .pdf417: "PDF417"
    case .code128: "Code 128"
    case .code39: "Code 39"
    case .code39Mod43: "Code 39 mod 43"
    case .code93: "Code 93"
    case .ean13: "EAN-13"
    case .ean8: "EAN-8"
    case .upcE: "UPC-E"
    case .upcA: "UPC-A"
    case .dataMatrix: "Data Matrix"
    case .itf: "ITF"
    case .codabar: "Codabar"
    }
  }

  /// Whether the code is a row of bars, not a field of modules.
  package var isLinear: Bool {
    switch self {
    case .qr, .aztec, .pdf417, .dataMatrix: false
    default: true
    }
  }

  /// The bit of the C library.
  var bit: UInt32 {
    switch self {
    case .qr: UInt32(CBARCODES_QR)
    case .aztec: UInt32(CBARCODES_AZTEC)
    case .pdf417: UInt32(CBARCODES_PDF417)
    case .code128: UInt32(CBARCODES_CODE128)
    case .code39, .code39Mod43: UInt32(CBARCODES_CODE39)
    case .code93: UInt32(CBARCODES_CODE93)
    case .ean13: UInt32(CBARCODES_EAN13)
    case .ean8: UInt32(CBARCODES_EAN8)
    case .upcE: UInt32(CBARCODES_UPCE)
    case .upcA: UInt32(CBARCODES_UPCA)
    case .dataMatrix: UInt32(CBARCODES_DATAMATRIX)
    case .itf: UInt32(CBARCODES_ITF)
    case .codabar: UInt32(CBARCODES_CODABAR)
    }
  }

  /// The bits of all linear symbologies.
  static let linearBits = allCases.reduce(UInt32(0)) { $0 | ($1.isLinear ? $1.bit : 0) }

  /// The symbology of a bit; Code 39 for its bit, whatever its check.
  init?(bit: UInt32) {
    guard let found = Self.allCases.first(where: { $0.bit == bit }) else { return nil }
    self = found
  }
}
