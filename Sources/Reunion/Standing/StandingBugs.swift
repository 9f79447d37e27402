#if SEEDED_BUGS
  package import ReunionCore

  extension SeededBug {
    /// What was sent counts as on the other side's disk.
    package static var reachToldBeforeDisk: Self { Self() }
    /// What a server had stays told, though it says that it lacks it.
    package static var reachKeptAfterRollback: Self { Self() }
  }
#endif
