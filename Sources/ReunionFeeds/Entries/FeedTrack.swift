public import FoundationEssentials

/// A path: points in the order in which somebody passed them.
///
/// ```swift
/// func top(of entry: FeedEntry) -> Double? {
///   entry.track?.segments.joined().compactMap(\.location.elevation).max()
/// }
/// ```
public struct FeedTrack: Sendable, Hashable {
  /// A place on the path, and when somebody passed it.
  public struct Point: Sendable, Hashable {
    /// Where.
    public var location: FeedLocation
    /// When.
    public var time: Date?

    /// Creates a point.
    public init(_ location: FeedLocation, time: Date? = nil) {
      self.location = location
      self.time = time
    }
  }

  /// Its parts. Between two of them the receiver recorded nothing. No part is empty.
  public var segments: [[Point]]

  /// Creates a track.
  public init(segments: [[Point]] = []) { self.segments = segments }
}
