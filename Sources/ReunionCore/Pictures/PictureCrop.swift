/// The part of an upright picture that is shown, whatever the picture's size in pixels.
///
/// ```swift
/// func leftHalf(of size: PictureSize) -> PictureRect? {
///   PictureCrop(left: 0, top: 0, right: PictureCrop.parts / 2, bottom: PictureCrop.parts)?
///     .pixels(of: size)
/// }
/// ```
///
/// Each edge is a fraction of the side, in 65,535 parts: 0 is the left or top edge, 65,535 the
/// right or bottom one. A crop so says the same of an original and of every smaller copy of it. In
/// a picture of at most 65,535 pixels a side each rectangle of pixels has a crop that gives it
/// back.
public struct PictureCrop: Hashable, Sendable {
  /// Parts of a side: the far edge of a crop that cuts nothing off there.
  public static let parts: UInt16 = 65_535
  /// All of the picture.
  public static let whole = PictureCrop()

  /// The left edge.
  public let left: UInt16
  /// The top edge.
  public let top: UInt16
  /// The right edge, more than `left`.
  public let right: UInt16
  /// The bottom edge, more than `top`.
  public let bottom: UInt16

  private init() {
    left = 0
    top = 0
    right = Self.parts
    bottom = Self.parts
  }

  /// Takes four edges; nil where nothing is between two of them, as where they are the wrong way
  /// round.
  ///
  /// - Parameters:
  ///   - left: Parts of the width, from the left edge.
  ///   - top: Parts of the height, from the top edge.
  ///   - right: Parts of the width, from the left edge as well, more than `left`.
  ///   - bottom: Parts of the height, from the top edge, more than `top`.
  public init?(left: UInt16, top: UInt16, right: UInt16, bottom: UInt16) {
    guard left < right, top < bottom else { return nil }
    self.left = left
    self.top = top
    self.right = right
    self.bottom = bottom
  }

  /// The edges as one number: left, top, right and bottom, 16 bits each, left in the highest.
  var edges: UInt64 {
    UInt64(left) << 48 | UInt64(top) << 32 | UInt64(right) << 16 | UInt64(bottom)
  }

  /// Takes the four edges as one number.
  init?(edges: UInt64) {
    self.init(
      left: UInt16(truncatingIfNeeded: edges >> 48), top: UInt16(truncatingIfNeeded: edges >> 32),
      right: UInt16(truncatingIfNeeded: edges >> 16), bottom: UInt16(truncatingIfNeeded: edges))
  }

  /// The crop that shows these pixels of an upright picture of that size; what lies outside of the
  /// picture is left away.
  ///
  /// `pixels(of:)` gives the same pixels back, where no side has more than 65,535 of them. At least
  /// one pixel stays, also of a rectangle that lies wholly outside.
  public init(_ rect: PictureRect, in size: PictureSize) {
    let across = Self.edges(rect.x, rect.width, of: size.width)
    let down = Self.edges(rect.y, rect.height, of: size.height)
    left = across.0
    right = across.1
    top = down.0
    bottom = down.1
  }

  /// The pixels of an upright picture that are shown.
  ///
  /// An edge lies at `side × fraction`, rounded to the nearest pixel, halves up; where both edges
  /// of a side round to one place, the pixel after it is shown, or the last one.
  public func pixels(of size: PictureSize) -> PictureRect {
    let across = Self.pixels(left, right, of: size.width)
    let down = Self.pixels(top, bottom, of: size.height)
    return PictureRect(x: across.0, y: down.0, width: across.1, height: down.1)
  }

  private static func pixels(_ near: UInt16, _ far: UInt16, of side: UInt32) -> (UInt32, UInt32) {
    let start = min(rounded(UInt64(near), side, parts: UInt64(parts)), side - 1)
    let end = max(rounded(UInt64(far), side, parts: UInt64(parts)), start + 1)
    return (start, end - start)
  }

  private static func edges(_ start: UInt32, _ count: UInt32, of side: UInt32) -> (UInt16, UInt16) {
    let first = min(start, side - 1)
    let end = first + min(count, side - first)
    let near = min(rounded(UInt64(first), UInt32(parts), parts: UInt64(side)), UInt32(parts) - 1)
    let far = max(rounded(UInt64(end), UInt32(parts), parts: UInt64(side)), near + 1)
    return (UInt16(near), UInt16(far))
  }

  /// `side × part ÷ parts`, to the nearest whole number, halves up; nothing comes near 64 bits.
  private static func rounded(_ part: UInt64, _ side: UInt32, parts: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: (part &* UInt64(side) &+ parts / 2) / parts)
  }
}
