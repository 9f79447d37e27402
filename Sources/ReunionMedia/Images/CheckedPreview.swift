/// A preview that was made elsewhere, for example by a phone, and passed every check.
public struct CheckedPreview: Sendable, Hashable {
  /// Most pixels along the long edge.
  public static let longEdgeMax = 640
  /// Most bytes in the file.
  public static let fileBytesMax = 128 << 10

  /// Width in pixels.
  public let width: Int
  /// Height in pixels.
  public let height: Int
  /// JPEG or WebP.
  public let format: ImageFormat
  /// The average colour as 0xRRGGBB.
  public let placeholder: UInt32
}
