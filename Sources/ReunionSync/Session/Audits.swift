package import ReunionCore
package import ReunionFlow
package import ReunionStore

/// What the audits of one program share: who may be answered now, and on which thread.
///
/// An audit reads many records; it must neither hold up a space's sessions nor fill a server's hour.
/// *Thread*: any.
package final class Audits: Sendable {
  /// How many answers are made or wait to be made at once; one more is told that this side is busy.
  package static let atOnceMax = 8
  /// How many steps of one device's audits are answered in an hour: some ten audits that find hundreds of differences.
  package static let hourlySteps = 256

  /// The asker of a reading.
  enum Asker: Hashable {
    /// A device, for answers in a space.
    case device(UInt64, SpaceID)
    /// A session of this program, for its own questions.
    case session(ObjectIdentifier)
  }

  private struct State {
    var askers: Set<Asker> = []
    var hour: Int64 = 0
    var steps: [Asker: Int] = [:]
  }

  private let state = Lock(State())
  private let clock: any FlowClock
  private let run: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// Takes what runs the reading of records, on any thread; pieces may wait for each other.
  package init(
    clock: any FlowClock, run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    self.clock = clock
    self.run = run
  }

  /// Runs a reading, unless enough others are under way or the asker had its share; false then. What it returns runs
  /// once its place is free: the next question may follow at once.
  func admit(
    _ asker: Asker, _ reading: @escaping @Sendable () -> @Sendable () -> Void
  ) -> Bool {
    let hour = clock.now.nanoseconds / 3_600_000_000_000
    let isAdmitted = state.withLock { state in
      if state.hour != hour { (state.hour, state.steps) = (hour, [:]) }
      guard state.askers.count < Self.atOnceMax, !state.askers.contains(asker),
        state.steps[asker, default: 0] < Self.hourlySteps
      else { return false }
      state.askers.insert(asker)
      state.steps[asker, default: 0] += 1
      return true
    }
    guard isAdmitted else { return false }
    run {
      let goOn = reading()
      self.state.withLock { _ = $0.askers.remove(asker) }
      goOn()
    }
    return true
  }
}
