#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Bounds on what one picture may cost. A picture over one of them is refused.
///
/// ```swift
/// var limits = ImageLimits()
/// limits.fileBytesMax = 30 << 20
/// limits.waitingMax = 100
/// let renderer = ImageRenderer(limits: limits)
/// ```
public struct ImageLimits: Sendable, Hashable {
  /// Pixels in a picture, checked in its header before any decoding.
  ///
  /// A JPEG of which a rendition is made may have five times as many, for it shrinks
  /// while it is decoded: 108 and 200 megapixels of a phone. A progressive one takes the memory of
  /// the worker for all of its pixels.
  public var pixelsMax = 100_000_000
  /// How many times ``pixelsMax`` a JPEG may have that shrinks while it is decoded.
  package static let shrinkingFactor = 5
  /// Bytes in a picture's file.
  public var fileBytesMax = 256 << 20
  /// Seconds that a picture may compute, and for which it may compute nothing; the worker is killed
  /// after that.
  ///
  /// A busy machine gives a worker little of its processor: a picture may take ten times as long
  /// there by the clock.
  public var secondsMax = 20
  /// Address space of the worker in bytes, or nil for no limit (sanitizers need that).
  ///
  /// By default a quarter of the machine's memory, from 1.5 to 4 GiB. A picture of 48 megapixels
  /// took 1,000 MB of it as WebP, 800 MB as AVIF and 850 MB as HEIC.
  public var memoryBytesMax: Int? = min(max(machineBytes / 4, 1536 << 20), 4096 << 20)
  /// Pictures that one worker process makes before a fresh one takes over.
  public var picturesPerWorker = 200
  /// Pictures that may wait for one person; one more is refused as `tooManyWaiting`.
  public var waitingMax = Int.max
  /// Quality of JPEG and WebP renditions, 1 to 100.
  public var quality = 80
  /// What a picture may cost before it waits with others that cost more.
  var quick = Quick()

  /// Creates the default limits.
  public init() {}

  private static let machineBytes =
    max(sysconf(Int32(_SC_PHYS_PAGES)), 0) * max(sysconf(Int32(_SC_PAGESIZE)), 0)
}
