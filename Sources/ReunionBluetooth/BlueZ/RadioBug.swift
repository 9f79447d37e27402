#if os(Linux)
  /// A fault that is built into the radio on purpose: the negative control of the lane and of tests.
  package enum RadioBug: String, Hashable, Sendable, CaseIterable {
    /// When BlueZ has restarted, the services that it had before are taken for registered.
    case servesAsBefore
  }
#endif
