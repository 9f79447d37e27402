/// When a picture was taken, as its file says it: what a clock on the wall showed there, and how
/// far that clock was from UTC.
///
/// ```swift
/// func date(of image: RenderedImage) -> Date? {
///   guard let time = image.captureTime else { return nil }
///   let milliseconds = time.instantMilliseconds ?? time.wallMilliseconds
///   return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
/// }
/// ```
///
/// A camera writes what its clock shows. Without an offset that is no instant: show it as it is,
/// in no zone. *Source*: EXIF 2.32.
public struct CaptureTime: Sendable, Hashable {
  /// Which of a file's times it is.
  public enum Clock: UInt8, Sendable, CaseIterable {
    /// EXIF DateTimeOriginal.
    case original = 1
    /// EXIF DateTimeDigitized.
    case digitized = 2
    /// EXIF DateTime: programs that change a file write it anew.
    case file = 3
    /// The time of the satellites alone: its clock shows UTC.
    case satellites = 4
  }

  /// What says how far the clock was from UTC.
  public enum Zone: UInt8, Sendable {
    /// EXIF OffsetTimeOriginal, or another offset of the same time.
    case offset = 1
    /// The time of the satellites beside it.
    case satellites = 2
  }

  /// What the clock showed, in milliseconds since 1970 as if it showed UTC.
  public let wallMilliseconds: Int64
  /// Which clock that was.
  public let clock: Clock
  /// How far the clock was ahead of UTC, in seconds; nil where the file does not tell.
  public let offsetSeconds: Int?
  /// What tells the offset; nil where nothing does.
  public let zone: Zone?

  /// The instant, in milliseconds since 1970; nil without an offset.
  public var instantMilliseconds: Int64? {
    offsetSeconds.map { wallMilliseconds - Int64($0) * 1000 }
  }

  init(
    wallMilliseconds: Int64, clock: Clock, offset: (seconds: Int, zone: Zone)? = nil
  ) {
    self.wallMilliseconds = wallMilliseconds
    self.clock = clock
    offsetSeconds = offset?.seconds
    zone = offset?.zone
  }
}
