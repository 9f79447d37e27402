/// A decoded picture: upright, on white where it is transparent.
///
/// ```swift
/// func brightness(of pixels: PicturePixels) -> [UInt8] {
///   let sum = pixels.bytes.reduce(0) { $0 + Int($1) }
///   return [UInt8(sum / max(1, pixels.bytes.count))]
/// }
/// ImageWorker.runIfAsked(reading: brightness)
/// ```
///
/// A program's own code gets one in the worker, and gives bytes back: see ``PictureReader``. The
/// pixel in column x of row y begins at the byte 3 × (y × width + x).
public struct PicturePixels: Sendable, Hashable {
  /// How many pixels stand side by side.
  public let width: Int
  /// How many rows there are.
  public let height: Int
  /// The width of the upright picture before it was made smaller.
  public let wholeWidth: Int
  /// The height of the upright picture before it was made smaller.
  public let wholeHeight: Int
  /// Red, green and blue of each pixel, row by row without padding.
  public let bytes: [UInt8]
}
