/// Bounds on what one picture may cost; what is over is refused.
public struct ImageLimits: Sendable, Hashable {
  /// Pixels in a picture, checked in its header before any decoding.
  public var pixelsMax = 100_000_000
  /// Bytes in a picture's file.
  public var fileBytesMax = 256 << 20
  /// Seconds of wall time for a picture; the worker is killed after that.
  public var secondsMax = 20
  /// Address space of the worker in bytes, or nil for no limit (sanitizers need that).
  ///
  /// A HEIC picture of 48 megapixels, which is decoded whole, took 850 MB of it.
  public var memoryBytesMax: Int? = 1536 << 20
  /// Pictures that one worker process makes before a fresh one takes over.
  public var picturesPerWorker = 200
  /// JPEG quality of renditions, 1 to 100.
  public var quality = 80

  /// Creates the default limits.
  public init() {}
}
