import Reunion

extension FeedStatus {
  /// The id of the status in its space.
  static func id(in space: SpaceID) -> RecordID { RecordID(high: space.high, low: space.low) }
}
