import Foundation

/// How much the simulations do: a slice that the test command runs, or as much as is asked for.
enum Extent {
  private static func number(_ name: String) -> Double? {
    ProcessInfo.processInfo.environment[name].flatMap { Double($0) }
  }

  /// The first seed.
  static let first = UInt64(number("REUNION_FIRST") ?? 1)
  /// How many seeds, where time allows.
  static let seeds = UInt64(number("REUNION_SEEDS") ?? 2_000)
  /// How many seconds of the processor the slice may take.
  static let seconds = number("REUNION_SECONDS") ?? 90

  /// Whether the processor has worked so long since a moment.
  static func stopwatch(_ seconds: Double = seconds) -> () -> Bool {
    let start = clock()
    return { Double(clock() - start) / Double(CLOCKS_PER_SEC) > seconds }
  }
}
