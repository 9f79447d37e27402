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
  @usableFromInline let handle = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  @exclusivity(unchecked)
  @usableFromInline var value: Value

  package init(_ value: Value) throws(StoreError) {
    self.value = value
    var attributes = pthread_mutexattr_t()
    handle.initialize(to: pthread_mutex_t())
    var status = pthread_mutexattr_init(&attributes)
    if status == 0 {
      status = pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK))
    }
    if status == 0 { status = pthread_mutex_init(handle, &attributes) }
    guard status == 0 else {
      throw StoreError(.unexpected, "No lock could be made.", underlying: "errno \(status)")
    }
  }

  deinit {
    pthread_mutex_destroy(handle)
    handle.deinitialize(count: 1)
    handle.deallocate()
  }

  /// Runs a closure that has the value for itself.
  ///
  /// - Throws: `nestedWrite` where this thread is in it already, else what the closure throws.
  @inlinable package func pass<Success>(
    _ body: (inout Value) throws(StoreError) -> Success
  ) throws(StoreError) -> Success {
    let status = pthread_mutex_lock(handle)
    guard status == 0 else {
      throw StoreError(
        .nestedWrite, "A write was started inside another: use the one that is open.")
    }
    defer {
      let status = pthread_mutex_unlock(handle)
      assert(status == 0)
    }
    return try body(&value)
  }
}
