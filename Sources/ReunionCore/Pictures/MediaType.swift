/// What a file is, by its first bytes; what it is called never counts.
///
/// ```swift
/// func refusal(of file: [UInt8]) -> String? {
///   guard let type = MediaType(head: file) else { return "This is not a picture." }
///   return type.isPicture ? nil : "This is a \(type.fileExtension) file, and not a picture."
/// }
/// ```
///
/// That a file begins like a picture does not make it one: only decoding it shows that.
/// Pictures that nothing here decodes are told apart too, so that a person hears "not this kind"
/// and not "no picture". Source: the media types of IANA; ISO/IEC 14496-12 §4.3 (brands).
public enum MediaType: String, Hashable, Sendable, CaseIterable {
  /// JPEG.
  case jpeg = "image/jpeg"
  /// PNG.
  case png = "image/png"
  /// WebP.
  case webp = "image/webp"
  /// HEIF with HEVC inside, or with what its first bytes do not tell.
  case heic = "image/heic"
  /// HEIF with AV1 inside.
  case avif = "image/avif"
  /// GIF.
  case gif = "image/gif"
  /// TIFF, and the raw pictures of many cameras.
  case tiff = "image/tiff"
  /// BMP.
  case bmp = "image/bmp"
  /// JPEG XL.
  case jpegXL = "image/jxl"
  /// JPEG 2000.
  case jpeg2000 = "image/jp2"
  /// Photoshop.
  case photoshop = "image/vnd.adobe.photoshop"
  /// MPEG-4, and QuickTime with a file type box.
  case mp4 = "video/mp4"
  /// PDF.
  case pdf = "application/pdf"

  /// How many bytes of a file tell what it is: as many as to read of a large one.
  public static let headBytes = 256

  /// Reads the first bytes of a file, of which those after `headBytes` do not count; nil where they
  /// tell nothing.
  public init?(head: some Collection<UInt8>) {
    let head = Array(head.prefix(Self.headBytes))
    func has(_ text: StaticString, at index: Int = 0) -> Bool {
      text.withUTF8Buffer { head.dropFirst(index).starts(with: $0) }
    }
    func has(_ bytes: UInt8...) -> Bool { head.starts(with: bytes) }
    if has(0xff, 0xd8, 0xff) {
      self = .jpeg
    } else if has(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a) {
      self = .png
    } else if has("RIFF"), has("WEBP", at: 8) {
      self = .webp
    } else if has("GIF87a") || has("GIF89a") {
      self = .gif
    } else if has("ftyp", at: 4), let box = Self.ofFileTypeBox(head) {
      self = box
    } else if has("II*\0") || has("MM\0*") {
      self = .tiff
    } else if has("BM") {
      self = .bmp
    } else if has(0xff, 0x0a) || has("JXL \r\n", at: 4) {
      self = .jpegXL
    } else if has("jP  \r\n", at: 4) {
      self = .jpeg2000
    } else if has("8BPS") {
      self = .photoshop
    } else if has("%PDF-") {
      self = .pdf
    } else {
      return nil
    }
  }

  /// The kind that the brands of a file type box name: after its size and its name the major one,
  /// four bytes of a version, and any number of compatible ones.
  private static func ofFileTypeBox(_ head: [UInt8]) -> MediaType? {
    guard head.count >= 12 else { return nil }
    let size = head[..<4].reduce(0) { $0 << 8 | Int($1) }
    let end = min(size, head.count)
    let places = [8] + stride(from: 16, to: max(16, end), by: 4)
    let brands = places.filter { $0 + 4 <= end }.map { Array(head[$0..<$0 + 4]) }
    func names(_ texts: String...) -> Bool {
      brands.contains { brand in texts.contains { brand.starts(with: $0.utf8) } }
    }
    if names("avif", "avis") { return .avif }
    return names("hei", "hev", "mif1", "msf1") ? .heic : .mp4
  }

  /// What such a file is called by most programs, without a dot: `jpg`.
  public var fileExtension: String {
    switch self {
    case .jpeg: "jpg"
    case .png: "png"
    case .webp: "webp"
    case .heic: "heic"
    case .avif: "avif"
    case .gif: "gif"
    case .tiff: "tif"
    case .bmp: "bmp"
    case .jpegXL: "jxl"
    case .jpeg2000: "jp2"
    case .photoshop: "psd"
    case .mp4: "mp4"
    case .pdf: "pdf"
    }
  }

  /// Whether it is a picture, decoded here or not; films and documents are not.
  public var isPicture: Bool { rawValue.hasPrefix("image/") }
}
