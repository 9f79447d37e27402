#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A reference of each thread's own. It holds nothing: who sets it keeps the object alive.
struct ThreadLocal<Object: AnyObject>: Sendable {
  private let key: pthread_key_t

  init() {
    var key = pthread_key_t()
    let status = pthread_key_create(&key, nil)
    precondition(status == 0, "pthread_key_create failed with \(status)")
    self.key = key
  }

  var object: Object? {
    guard let pointer = pthread_getspecific(key) else { return nil }
    return Unmanaged<Object>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Runs a closure with another object in place, for this thread.
  func with<Success, Failure: Error>(
    _ object: Object?, _ body: () throws(Failure) -> Success
  ) throws(Failure) -> Success {
    let outer = pthread_getspecific(key)
    pthread_setspecific(
      key, object.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) })
    defer {
      pthread_setspecific(key, outer.map { UnsafeRawPointer($0) })
      withExtendedLifetime(object) {}
    }
    return try body()
  }
}
