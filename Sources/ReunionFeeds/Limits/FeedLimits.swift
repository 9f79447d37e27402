/// Bounds on what one document may cost. A document over one of them ends with an error.
///
/// ```swift
/// var limits = FeedLimits()
/// limits.documentBytesMax = 10 << 20
/// limits.trackPointsMax = 50_000
/// let parser = FeedParser(limits: limits)
/// ```
///
/// The error is a ``FeedError`` with the code `limit`. The defaults let through what honest feeds
/// are, and keep the memory of one entry below 32 MiB; for a public service set them lower.
public struct FeedLimits: Sendable, Hashable {
  /// Elements inside elements.
  public var depthMax = 256
  /// Bytes in the text of one element or in the value of one attribute. An attribute never has more
  /// than 10 MB.
  public var fieldBytesMax = 8 << 20
  /// Bytes of memory for one collected element: an entry with everything in it.
  public var elementBytesMax = 32 << 20
  /// Bytes in the document, after its transfer encoding is undone.
  public var documentBytesMax = 4 << 30
  /// Different names of elements and attributes.
  public var namesMax = 1_000
  /// Different ids of entries in the document: some 40 bytes of memory for one.
  public var idsMax = 4_000_000
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
