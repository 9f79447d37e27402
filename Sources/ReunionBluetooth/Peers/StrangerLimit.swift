import ReunionFlow

/// How often those may try to come in whom this device does not know: five times a minute, all together,
/// since a stranger has as many addresses as it likes.
struct StrangerLimit {
  static let triesMax = 5
  static let window = Duration.seconds(60)
  /// How many may be in a greeting, or wait for a code to be compared, at once.
  static let guestsMax = 16

  private var tries: [Moment] = []
  /// Devices that were verified when they were here last.
  private var trusted: Set<DeviceID> = []

  mutating func mayEnter(_ device: DeviceID, at now: Moment) -> Bool {
    tries.removeAll { $0.duration(to: now) >= Self.window }
    return trusted.contains(device) || tries.count < Self.triesMax
  }

  /// A device did not turn out to be known.
  mutating func note(strangerAt now: Moment, _ device: DeviceID) {
    trusted.remove(device)
    tries.append(now)
    if tries.count > Self.triesMax { tries.removeFirst() }
  }

  mutating func trust(_ device: DeviceID) {
    if trusted.count < 1000 { trusted.insert(device) }
  }
}
