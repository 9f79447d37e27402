public import FoundationEssentials

/// A way: points in the order in which they were passed.
public struct FeedTrack: Sendable, Hashable {
  /// A place on the way, and when it was passed.
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

  /// The parts of it: between two of them nothing was recorded. None of them is empty.
  public var segments: [[Point]]

  /// Creates a track.
  public init(segments: [[Point]] = []) { self.segments = segments }
}
