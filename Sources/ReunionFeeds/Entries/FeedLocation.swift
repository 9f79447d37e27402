/// A place on earth, in WGS 84.
public struct FeedLocation: Sendable, Hashable {
  /// Degrees north, -90 to 90.
  public var latitude: Double
  /// Degrees east, -180 to 180.
  public var longitude: Double
  /// Metres above the ellipsoid or the sea, as the feed has it; below ground it is negative.
  public var elevation: Double?

  /// Creates a place.
  public init(latitude: Double, longitude: Double, elevation: Double? = nil) {
    self.latitude = latitude
    self.longitude = longitude
    self.elevation = elevation
  }

  /// A place on earth, or nil.
  init?(_ latitude: Double?, _ longitude: Double?, _ elevation: Double? = nil) {
    guard let latitude, let longitude, abs(latitude) <= 90, abs(longitude) <= 180 else {
      return nil
    }
    self.init(latitude: latitude, longitude: longitude, elevation: elevation)
  }
}
