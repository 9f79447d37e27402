import ReunionCore
import ReunionDisk
import ReunionFlow

extension Store {
  /// The signal of what a closure reads of a space, whose number is nil while nothing is held of it;
  /// read again after each commit there.
  ///
  /// *Errors*: the first read's are thrown; where a later one fails, the value stays until the next,
  /// and `liveFailure` tells.
  func following<Value: Sendable & Equatable>(
    _ space: SpaceID,
    _ read: @escaping @Sendable (RecordReader, Int64?) throws(StoreError) -> Value
  ) throws -> Signal<Value> {
    @Sendable func current(_ store: Store) throws(StoreError) -> Value {
      try store.readTransaction { (reader) throws(StoreError) in
        try read(reader, try reader.numbers.existingNumber(of: space))
      }
    }
    let rounds = Rounds()
    let number = liveQueries.reserveNumber()
    let noted = SignalSubscription { [weak self] in self?.liveQueries.note(nil, of: number) }
    let value = Variable(try current(self))
    @Sendable func refresh(_ store: Store) {
      rounds.run {
        do throws(StoreError) {
          let new = try current(store)
          if new != value.value { value.value = new }
          store.liveQueries.note(nil, of: number)
        } catch {
          store.liveQueries.note(error, of: number)
        }
      }
    }
    let subscription = observeCommits { [weak self] commit in
      if commit.space == space, let self { refresh(self) }
    }
    // What was committed before the subscription began.
    refresh(self)
    return value.signal.map { value in withExtendedLifetime((subscription, noted)) { value } }
  }
}

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
