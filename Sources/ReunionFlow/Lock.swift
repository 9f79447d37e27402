#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A value that one thread at a time may touch.
///
/// It stands on the platform's plain lock because the thread sanitizer does not see through
/// `Synchronization.Mutex` on Linux and reports races that are none.
///
/// *Thread*: any. The lock is not recursive, and no caller's code may run while it is held: take
/// what must be called or released out of it, and do that afterwards.
/// *Cost*: two allocations for its life, about 20 ns for an uncontended `withLock`.
package final class Lock<Value>: @unchecked Sendable {
  #if canImport(Darwin)
    private let handle = UnsafeMutablePointer<os_unfair_lock>.allocate(capacity: 1)
  #else
    private let handle = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  #endif
  // The lock is what keeps accesses apart; checking them again would cost more than the lock.
  @exclusivity(unchecked) private var value: Value

  /// Makes an open lock around a value.
  package init(_ value: Value) {
    self.value = value
    #if canImport(Darwin)
      handle.initialize(to: os_unfair_lock())
    #else
      handle.initialize(to: pthread_mutex_t())
      let status = pthread_mutex_init(handle, nil)
      precondition(status == 0, "pthread_mutex_init failed with \(status)")
    #endif
  }

  deinit {
    #if !canImport(Darwin)
      pthread_mutex_destroy(handle)
    #endif
    handle.deinitialize(count: 1)
    handle.deallocate()
  }

  /// Runs a closure that has the value for itself, and returns what the closure returns.
  package func withLock<Success, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Success
  ) throws(Failure) -> Success {
    #if canImport(Darwin)
      os_unfair_lock_lock(handle)
      defer { os_unfair_lock_unlock(handle) }
    #else
      let status = pthread_mutex_lock(handle)
      precondition(status == 0, "pthread_mutex_lock failed with \(status)")
      defer { pthread_mutex_unlock(handle) }
    #endif
    return try body(&value)
  }
}
