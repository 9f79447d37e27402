#if SEEDED_BUGS
  package import ReunionCore

  extension SeededBug {
    /// A salvage does not look whether the log is whole.
    package static var salvageTrustsLog: Self { Self() }
  }
#endif
