/// A decoded picture: upright, on white where it is transparent.
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
