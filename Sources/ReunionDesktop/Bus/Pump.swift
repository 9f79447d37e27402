import Dispatch
import Glibc

/// Wakes a connection when there is something to read, room to write, or a limit has passed.
///
/// Confined to the queue.
final class Pump {
  private let reading: any DispatchSourceRead
  private let writing: any DispatchSourceWrite
  private let timer: any DispatchSourceTimer
  private var isWriting = false

  init(_ descriptor: Int32, on queue: DispatchQueue, _ wake: @escaping () -> Void) {
    reading = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    writing = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
    timer = DispatchSource.makeTimerSource(queue: queue)
    reading.setEventHandler(handler: wake)
    writing.setEventHandler(handler: wake)
    timer.setEventHandler(handler: wake)
    timer.schedule(deadline: .distantFuture)
    reading.resume()
    timer.resume()
  }

  /// Waits for what comes, for room where it is wanted, and until a moment of the machine's monotonic
  /// clock in microseconds.
  func wait(toWrite: Bool, until moment: UInt64?) {
    if toWrite != isWriting {
      isWriting = toWrite
      if toWrite { writing.resume() } else { writing.suspend() }
    }
    guard let moment else { return timer.schedule(deadline: .distantFuture) }
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let now = UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
    timer.schedule(deadline: .now() + .microseconds(moment > now ? Int(moment - now) : 0))
  }

  /// Watches nothing any more, and then calls the closure.
  func stop(_ whenStopped: @escaping @Sendable () -> Void) {
    let group = DispatchGroup()
    group.enter()
    group.enter()
    reading.setCancelHandler { group.leave() }
    writing.setCancelHandler { group.leave() }
    reading.cancel()
    writing.cancel()
    timer.cancel()
    // A source that rests can be neither ended nor released.
    if !isWriting { writing.resume() }
    group.notify(queue: .global(), execute: whenStopped)
  }
}
