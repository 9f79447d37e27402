import ReunionFlow

/// Runs work on one thread at a time, so that an older result never replaces a newer one; whoever
/// comes meanwhile has the one who is at it do another round.
final class Rounds: Sendable {
  private struct State {
    var isRunning = false
    var isWanted = false
  }

  private let state = Lock(State())

  func run(_ work: () -> Void) {
    let isMine = state.withLock { state in
      state.isWanted = true
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isMine else { return }
    while isWanted() { work() }
  }

  private func isWanted() -> Bool {
    state.withLock { state in
      defer { state.isWanted = false }
      state.isRunning = state.isWanted
      return state.isWanted
    }
  }
}
