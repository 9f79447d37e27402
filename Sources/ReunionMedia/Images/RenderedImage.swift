/// What came of one picture: facts about it, and its renditions.
///
/// The facts are the original's, as its bytes say them: a stranger may have written anything there.
/// What a rendition holds was decoded and written anew.
public struct RenderedImage: Sendable, Hashable {
  /// A copy in sRGB, upright, with the edit, without any metadata.
  public struct Rendition: Sendable, Hashable {
    /// The long edge that you asked for; the rendition is smaller if the picture is.
    public let longEdge: Int
    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int
    /// The file, in the format that you asked for.
    public let bytes: [UInt8]
  }

  /// Width in pixels of the original when shown upright, whatever the edit.
  public let width: Int
  /// Height in pixels of the original when shown upright, whatever the edit.
  public let height: Int
  /// The format of the original.
  public let format: ImageFormat
  /// When the picture was taken, and by which clock; nil where it does not say, or says what nobody
  /// can have meant.
  public let captureTime: CaptureTime?
  /// Whether the original says where it was taken; renditions never do.
  public let hasLocation: Bool
  /// The average colour as 0xRRGGBB, to show until a rendition arrives.
  public let placeholder: UInt32
  /// One rendition for each long edge that you asked for, largest first.
  public let renditions: [Rendition]
}
