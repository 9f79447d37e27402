/// Bounds on what one document may cost; what is over ends it with an error.
public struct FeedLimits: Sendable, Hashable {
  /// Elements inside of elements.
  public var depthMax = 256
  /// Bytes in the text of one element or in the value of one attribute. No attribute of more than
  /// 10 MB is taken in any case.
  public var fieldBytesMax = 8 << 20
  /// Bytes of memory for one collected element: an entry with all that is in it.
  public var elementBytesMax = 32 << 20
  /// Bytes in the document, after a transfer encoding is taken off.
  public var documentBytesMax = 4 << 30
  /// Different names of elements and attributes.
  public var namesMax = 1_000
  /// Points in one track.
  public var trackPointsMax = 1_000_000

  /// Creates the default limits.
  public init() {}

  /// Places in an element are kept in 32 bits.
  var atMost32Bits: FeedLimits {
    var limits = self
    limits.elementBytesMax = min(elementBytesMax, 1 << 30)
    limits.fieldBytesMax = min(fieldBytesMax, 1 << 30)
    return limits
  }
}
