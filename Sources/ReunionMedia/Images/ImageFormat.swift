/// A picture format that can be decoded, recognized by a file's first bytes and never by its name.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
  /// JPEG.
  case jpeg
  /// PNG.
  case png
  /// WebP; of an animation, the first frame.
  case webp
  /// HEIF with HEVC inside, as iPhones take photos; of several pictures, the primary one.
  case heic
  /// HEIF with AV1 inside.
  case avif
  /// GIF, its first frame.
  case gif

  /// The formats that renditions may have.
  static let encoded: Set<ImageFormat> = [.jpeg, .png, .webp]

  /// The media type for HTTP.
  public var contentType: String { "image/\(rawValue)" }
}
