/// Orientation, crop, quarter turns and fit in one: what to take of stored pixels, and what to make
/// of it.
///
/// ```swift
/// func preview(of stored: PictureSize, exif: UInt8, edit: PictureEdit) -> PicturePlan {
///   PicturePlan(
///     stored: stored, orientation: Orientation(rawValue: exif), edit: edit, longEdge: 512)
/// }
/// ```
///
/// It is what `ImageRenderer` of ReunionMedia and a page in a browser both draw by, so that they
/// draw the same. Take `source` from the stored pixels, scale it to `size` (with the sides swapped
/// where `orientation` swaps them), and turn that by `orientation`. The steps that it stands for,
/// in their order, each in whole pixels: stand upright, crop (``PictureCrop/pixels(of:)``), turn,
/// and fit (``PictureSize/fitted(longEdge:)``).
public struct PicturePlan: Hashable, Sendable {
  /// The pixels to take, as they are stored.
  public let source: PictureRect
  /// How to turn them.
  public let orientation: Orientation
  /// The size of the result, as it is shown: upright and turned.
  public let size: PictureSize

  /// Plans a picture. It never makes one larger than its pixels.
  ///
  /// - Parameters:
  ///   - stored: The size as stored.
  ///   - orientation: How the stored pixels stand.
  ///   - edit: What a person did to the upright picture.
  ///   - longEdge: Most pixels along the longer side; nil for as many as there are.
  public init(
    stored: PictureSize, orientation: Orientation = .upright, edit: PictureEdit = .original,
    longEdge: UInt32? = nil
  ) {
    let shown = edit.crop.pixels(of: orientation.upright(stored))
    source = orientation.stored(shown, in: stored)
    var turned = orientation
    for _ in 0..<edit.quarterTurns { turned = turned.turnedClockwise }
    self.orientation = turned
    let size = turned.upright(source.size)
    self.size = longEdge.map { size.fitted(longEdge: $0) } ?? size
  }
}
