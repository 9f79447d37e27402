/// A picture's width and height in pixels, each at least 1.
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

  /// The size whose longer side is at most `longEdge`; a smaller picture stays as it is.
  ///
  /// The other side is rounded to the nearest pixel, halves up, and is at least 1.
  public func fitted(longEdge: UInt32) -> PictureSize {
    let long = max(width, height)
    guard long > longEdge, longEdge > 0 else { return self }
    return PictureSize(width: scaled(width, longEdge, long), height: scaled(height, longEdge, long))
  }

  private func scaled(_ side: UInt32, _ longEdge: UInt32, _ long: UInt32) -> UInt32 {
    UInt32((UInt64(side) * UInt64(longEdge) * 2 + UInt64(long)) / (UInt64(long) * 2))
  }
}

/// How stored pixels must be turned to stand upright. Source: EXIF 2.32, tag 0x0112.
public struct Orientation: RawRepresentable, Hashable, Sendable {
  /// 1 to 8, as EXIF numbers them.
  public let rawValue: UInt8

  /// Takes 1 to 8; anything else is upright.
  public init(rawValue: UInt8) { self.rawValue = (1...8).contains(rawValue) ? rawValue : 1 }

  /// Stored as it stands.
  public static let upright = Orientation(rawValue: 1)

  /// Whether the upright picture's width is the stored picture's height.
  public var swapsSides: Bool { rawValue >= 5 }

  /// The size of the upright picture.
  public func upright(_ stored: PictureSize) -> PictureSize {
    swapsSides ? PictureSize(width: stored.height, height: stored.width) : stored
  }
}
