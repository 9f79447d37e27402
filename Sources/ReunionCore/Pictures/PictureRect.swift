/// Whole pixels of a picture, counted from its top left corner.
///
/// It knows no picture: whether it lies within one is for whoever uses it to see.
public struct PictureRect: Hashable, Sendable {
  /// Pixels from the left edge.
  public var x: UInt32
  /// Pixels from the top edge.
  public var y: UInt32
  /// Pixels from left to right, at least 1.
  public var width: UInt32
  /// Pixels from top to bottom, at least 1.
  public var height: UInt32

  /// Makes a rectangle; a side of 0 counts as 1.
  public init(x: UInt32, y: UInt32, width: UInt32, height: UInt32) {
    self.x = x
    self.y = y
    self.width = max(width, 1)
    self.height = max(height, 1)
  }

  /// All of a picture, from its top left corner on.
  public init(_ size: PictureSize) {
    self.init(x: 0, y: 0, width: size.width, height: size.height)
  }

  /// Width and height, without the place; a side that was set to 0 counts as 1.
  public var size: PictureSize { PictureSize(width: width, height: height) }
}
