/// How stored pixels must be turned to stand upright. Source: EXIF 2.32, tag 0x0112.
///
/// ```swift
/// func uprightSize(width: UInt32, height: UInt32, exif: UInt8) -> PictureSize {
///   Orientation(rawValue: exif).upright(PictureSize(width: width, height: height))
/// }
/// ```
///
/// Four of the eight also mirror. Cameras write 1, 3, 6 and 8; the others come from programs.
public struct Orientation: RawRepresentable, Hashable, Sendable {
  /// 1 to 8, as EXIF numbers them.
  public let rawValue: UInt8

  /// Takes 1 to 8; anything else is upright, as in files that say nothing or nonsense.
  public init(rawValue: UInt8) { self.rawValue = (1...8).contains(rawValue) ? rawValue : 1 }

  /// Stored as it stands.
  public static let upright = Orientation(rawValue: 1)

  /// Whether the upright picture's width is the stored picture's height.
  package var swapsSides: Bool { rawValue >= 5 }

  /// The size of the upright picture: with the sides swapped for 5 to 8.
  public func upright(_ stored: PictureSize) -> PictureSize {
    swapsSides ? stored.turned : stored
  }

  /// Where a rectangle of the upright picture lies among the stored pixels.
  ///
  /// So a decoder can read that part alone, and turn it afterwards. A rectangle that reaches beyond
  /// the picture may trap: `PictureCrop.pixels(of:)` gives none.
  /// - Parameters:
  ///   - rect: A rectangle within the upright picture.
  ///   - stored: The size as stored.
  /// - Returns: The rectangle of stored pixels, whose sides are swapped where the orientation's
  ///   are.
  public func stored(_ rect: PictureRect, in stored: PictureSize) -> PictureRect {
    var found = rect
    if swapsSides {
      found = PictureRect(x: rect.y, y: rect.x, width: rect.height, height: rect.width)
    }
    // 2, 3, 7 and 8 store the upright picture's rows or columns from right to left, and 3, 4, 6 and 7
    // from the bottom up: one bit for each orientation.
    if 0b1_1000_1100 >> rawValue & 1 == 1 { found.x = stored.width - found.x - found.width }
    if 0b0_1101_1000 >> rawValue & 1 == 1 { found.y = stored.height - found.y - found.height }
    return found
  }

  /// This orientation and then a quarter turn clockwise, in one.
  public var turnedClockwise: Orientation {
    switch rawValue {
    case 8: .upright
    case 4: Orientation(rawValue: 5)
    case 5, 6, 7: Orientation(rawValue: rawValue - 3)
    default: Orientation(rawValue: rawValue + 5)
    }
  }
}
