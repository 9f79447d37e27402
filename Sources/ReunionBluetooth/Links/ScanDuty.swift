import ReunionFlow

/// How much the radio listens for a device that its system has forgotten: all the time at first, and a second
/// of each four when it has been away for ten minutes.
///
/// Listening takes more power than anything else that a radio does. A connection that is asked for takes
/// little, so that this is for devices to which none can be asked for.
struct ScanDuty {
  /// After so long it listens less.
  static let fullDuration = Duration.seconds(600)
  /// How long it listens then, and how often it begins to.
  static let (listening, period) = (Duration.seconds(1), Duration.seconds(4))

  /// When the search began.
  let start: Moment

  /// Whether it listens now.
  func isListening(at now: Moment) -> Bool { phase(at: now).map { $0 < Self.listening } ?? true }

  /// When that changes next.
  func change(after now: Moment) -> Moment {
    guard let phase = phase(at: now) else {
      return start.advanced(by: Self.fullDuration + Self.listening)
    }
    return now.advanced(by: (phase < Self.listening ? Self.listening : Self.period) - phase)
  }

  /// How far the present period is, once it listens less.
  private func phase(at now: Moment) -> Duration? {
    let (past, full) = (start.duration(to: now), Self.fullDuration)
    guard past >= full else { return nil }
    let periods = Int((past - full) / Self.period)
    return past - full - Self.period * periods
  }
}
