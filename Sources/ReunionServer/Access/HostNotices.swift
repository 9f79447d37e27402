import ReunionFlow

/// What the host is told in the terminal, and how often.
enum HostNotices {
  /// Where there is no room for what people bring.
  static let fullDisk =
    "The disk with this server's data is full. Make room on it: delete or move other files there."
    + " Until then nothing more is taken; what people send waits on their devices."

  /// What an audit changed here.
  static func repaired(_ recordCount: Int, with device: String) -> String {
    (recordCount == 1 ? "1 record differed" : "\(recordCount) records differed")
      + " here and at the device \(device), and nothing but an audit showed it. Both have the same now. Either a machine"
      + " was put back to an earlier state more than once, or this is an error of ours: please report it."
  }

  /// Passes sentences on, but one of them once an hour at most: a full disk fails many requests.
  static func once(
    _ rare: String, _ notice: @escaping @Sendable (String) -> Void,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) -> @Sendable (String) -> Void {
    let told = Lock<ContinuousClock.Instant?>(nil)
    return { sentence in
      guard sentence == rare else { return notice(sentence) }
      let isDue = told.withLock { told in
        let now = now()
        if let last = told, last.duration(to: now) < .seconds(3600) { return false }
        told = now
        return true
      }
      if isDue { notice(sentence) }
    }
  }
}
