import Foundation

/// The zone by which a family's days and rests are judged. Whoever starts a program may set its `TZ`, so
/// that the zone of this process says nothing.
struct FamilyZone: Sendable {
  private let zone: TimeZone

  /// The zone of a name such as "Europe/Berlin"; nil if the system does not know it.
  init?(_ name: String?) {
    guard let name, let zone = TimeZone(identifier: name) else { return nil }
    self.zone = zone
  }

  /// Seconds east of UTC at a moment in milliseconds since 1970.
  func offset(at wall: Int64) -> Int {
    zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(wall) / 1000))
  }
}
