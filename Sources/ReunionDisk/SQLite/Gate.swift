#if canImport(Darwin)
  package import Darwin
#else
  package import Glibc
#endif

/// What one thread at a time may go through: the writes of a store.
///
/// Unlike a `Lock` it is held while a caller's closure runs, since a transaction is; so it finds
/// out when that closure comes to it again, and throws instead of waiting for ever.
package final class Gate<Value>: @unchecked Sendable {
  @usableFromInline let line = GateLine()

  @exclusivity(unchecked)
  @usableFromInline var value: Value

  package init(_ value: Value) { self.value = value }

  /// How many threads wait.
  package var waitingCount: Int { line.waitingCount }

  /// Runs a closure that has the value for itself. A thread that waits for over a millisecond goes before
  /// those that come later.
  ///
  /// - Throws: `nestedWrite` where this thread is in it already, else what the closure throws.
  @inlinable package func pass<Success>(
    _ body: (inout Value) throws(StoreError) -> Success
  ) throws(StoreError) -> Success {
    guard line.enter() else {
      throw StoreError(
        .nestedWrite, "A write was started inside another: use the one that is open.")
    }
    defer { line.leave() }
    return try body(&value)
  }
}

/// The threads that want to go through a gate.
///
/// A mutex of the system lets whoever comes overtake those who wait, which saves a change of threads
/// for writes of microseconds. Beside a thread that writes again and again, another waited for many
/// syncs of the disk. *Thread*: any; what it has is read and written under its lock.
@usableFromInline final class GateLine: @unchecked Sendable {
  /// A thread that waits, on the condition that it is woken by.
  private final class Waiter {
    let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    let since: UInt64

    init(since: UInt64) {
      self.since = since
      condition.initialize(to: pthread_cond_t())
      pthread_cond_init(condition, nil)
    }

    deinit {
      pthread_cond_destroy(condition)
      condition.deinitialize(count: 1)
      condition.deallocate()
    }
  }

  /// For how long others may overtake who waits.
  private static let patienceNanoseconds: UInt64 = 1_000_000

  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  /// The thread that is in it.
  private var inside: pthread_t?
  /// The first to go first.
  private var waiters: [Waiter] = []

  init() {
    lock.initialize(to: pthread_mutex_t())
    pthread_mutex_init(lock, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deinitialize(count: 1)
    lock.deallocate()
  }

  var waitingCount: Int {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return waiters.count
  }

  /// Waits for this thread's turn; false where it is inside.
  @usableFromInline func enter() -> Bool {
    let this = pthread_self()
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    if let inside, pthread_equal(inside, this) != 0 { return false }
    if inside != nil || isSomebodyDue { wait() }
    inside = this
    return true
  }

  @usableFromInline func leave() {
    pthread_mutex_lock(lock)
    inside = nil
    if let first = waiters.first { pthread_cond_signal(first.condition) }
    pthread_mutex_unlock(lock)
  }

  private var isSomebodyDue: Bool {
    guard let first = waiters.first else { return false }
    return Self.now &- first.since >= Self.patienceNanoseconds
  }

  /// Waits until this thread is the first, and nobody is inside.
  private func wait() {
    let waiter = Waiter(since: Self.now)
    waiters.append(waiter)
    repeat {
      pthread_cond_wait(waiter.condition, lock)
    } while inside != nil
      || waiters.first !== waiter
    waiters.removeFirst()
  }

  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
