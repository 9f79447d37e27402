public import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The lock below `Lock`, for what keeps its values itself. It is not recursive.
///
/// On Linux it is a word that is 0 when free, 1 when held, and 2 when held while somebody may wait;
/// who must wait sleeps in the `Bedroom`. `Synchronization.Mutex` does the same within a library that
/// the thread sanitizer does not see through, so that it reports races that are none.
/// Source: Ulrich Drepper, "Futexes Are Tricky", 2011, mutex2.
@usableFromInline
struct LockHandle: ~Copyable, Sendable {
  #if canImport(Darwin)
    private let handle: UnsafeMutablePointer<os_unfair_lock>

    init() {
      handle = .allocate(capacity: 1)
      handle.initialize(to: os_unfair_lock())
    }

    deinit { handle.deallocate() }

    @usableFromInline
    func acquire() { os_unfair_lock_lock(handle) }

    @usableFromInline
    func release() { os_unfair_lock_unlock(handle) }
  #else
    @usableFromInline let word = Atomic<UInt32>(0)

    init() {}

    @inlinable
    @inline(__always)
    func acquire() {
      let outcome = word.compareExchange(
        expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed)
      if !outcome.exchanged { wait() }
    }

    @inlinable
    @inline(__always)
    func release() {
      if word.exchange(0, ordering: .releasing) == 2 { wake() }
    }

    @usableFromInline
    @inline(never)
    func wait() {
      // Most sections are a few instructions long: the lock is soon free.
      for _ in 0..<32 where word.load(ordering: .relaxed) == 0 {
        let outcome = word.compareExchange(
          expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed)
        if outcome.exchanged { return }
      }
      Bedroom.shared.sleep { word.exchange(2, ordering: .acquiring) != 0 }
    }

    @usableFromInline
    @inline(never)
    func wake() { Bedroom.shared.wakeAll() }
  #endif

  /// Runs a closure while it has the lock.
  func during<Success>(_ body: () -> Success) -> Success {
    acquire()
    defer { release() }
    return body()
  }
}

#if !canImport(Darwin)
  /// Where threads sleep that wait for a lock, which is seldom: all locks share it.
  private final class Bedroom: @unchecked Sendable {
    static let shared = Bedroom()

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    private init() {
      mutex.initialize(to: pthread_mutex_t())
      condition.initialize(to: pthread_cond_t())
      precondition(pthread_mutex_init(mutex, nil) == 0, "pthread_mutex_init failed")
      precondition(pthread_cond_init(condition, nil) == 0, "pthread_cond_init failed")
    }

    /// Sleeps until a closure, which is asked again after each wake-up, returns false.
    func sleep(while isHeld: () -> Bool) {
      pthread_mutex_lock(mutex)
      while isHeld() { pthread_cond_wait(condition, mutex) }
      pthread_mutex_unlock(mutex)
    }

    func wakeAll() {
      // One that has found the lock held is asleep once we have the mutex.
      pthread_mutex_lock(mutex)
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
  }
#endif
