/// A picture's width and height in pixels, each at least 1.
///
/// ```swift
/// func previewSize(of photo: PictureSize) -> PictureSize {
///   photo.fitted(longEdge: 512)    // 4000 × 3000 becomes 512 × 384, 300 × 200 stays
/// }
/// ```
public struct PictureSize: Hashable, Sendable {
  /// Pixels from left to right.
  public let width: UInt32
  /// Pixels from top to bottom.
  public let height: UInt32

  /// Makes a size; a side of 0 counts as 1.
  public init(width: UInt32, height: UInt32) {
    self.width = max(width, 1)
    self.height = max(height, 1)
  }

  /// The size after a quarter turn, one way or the other.
  public var turned: PictureSize { PictureSize(width: height, height: width) }

  /// The size whose longer side is at most `longEdge`; a smaller picture stays as it is.
  ///
  /// The other side is rounded to the nearest pixel, halves up, and is at least 1: a very long
  /// picture becomes a line. A `longEdge` of 0 asks for nothing, and the picture stays as it is.
  public func fitted(longEdge: UInt32) -> PictureSize {
    let long = max(width, height)
    guard long > longEdge, longEdge > 0 else { return self }
    return PictureSize(width: scaled(width, longEdge, long), height: scaled(height, longEdge, long))
  }

  private func scaled(_ side: UInt32, _ longEdge: UInt32, _ long: UInt32) -> UInt32 {
    UInt32(
      truncatingIfNeeded: (UInt64(side) &* UInt64(longEdge) &+ UInt64(long / 2)) / UInt64(long))
  }
}
