import CWebSockets

/// Something on an event loop that goes on until it is cancelled: a timer or a watched descriptor.
///
/// *Thread*: the loop's.
package protocol LoopHandle: AnyObject {
  /// Ends it; its work is not called again. Cancelling twice is fine.
  func cancel()
}

extension EventLoop {
  /// Runs `work` on this loop after `delay`, and again after each `interval` if one is given.
  ///
  /// *Thread*: the loop's. The handle lives until it fires or is cancelled, kept or not.
  @discardableResult
  package func schedule(
    after delay: Duration, every interval: Duration? = nil, _ work: @escaping () -> Void
  ) -> any LoopHandle {
    let raw = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
    uv_timer_init(uv, raw)
    let timer = UVHandle(raw, on: self, repeats: interval != nil, work)
    uv_timer_start(
      raw, { UVHandle.fire($0?.pointee.data) }, delay.milliseconds, interval?.milliseconds ?? 0)
    return timer
  }

  /// Runs `work` on this loop whenever `descriptor` has something to read, until it is cancelled.
  ///
  /// *Thread*: the loop's. The descriptor stays the caller's, who closes it after cancelling.
  package func watch(_ descriptor: Int32, _ work: @escaping () -> Void) -> any LoopHandle {
    let raw = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)
    uv_poll_init(uv, raw, descriptor)
    let poll = UVHandle(raw, on: self, repeats: true, work)
    uv_poll_start(raw, Int32(UV_READABLE.rawValue)) { handle, _, _ in
      UVHandle.fire(handle?.pointee.data)
    }
    return poll
  }
}

/// A libuv handle and the work that it runs. libuv keeps it alive until its close.
private final class UVHandle: LoopHandle {
  private let raw: UnsafeMutableRawPointer
  private unowned let loop: EventLoop
  private let repeats: Bool
  private var work: (() -> Void)?

  init<Handle>(
    _ raw: UnsafeMutablePointer<Handle>, on loop: EventLoop, repeats: Bool,
    _ work: @escaping () -> Void
  ) {
    self.loop = loop
    self.raw = UnsafeMutableRawPointer(raw)
    self.repeats = repeats
    self.work = work
    base.pointee.data = Unmanaged.passRetained(self).toOpaque()
    loop.handles[ObjectIdentifier(self)] = self
  }

  deinit { raw.deallocate() }

  private var base: UnsafeMutablePointer<uv_handle_t> {
    raw.assumingMemoryBound(to: uv_handle_t.self)
  }

  func cancel() {
    guard work != nil else { return }
    work = nil
    loop.handles[ObjectIdentifier(self)] = nil
    uv_close(base) { handle in
      guard let data = handle?.pointee.data else { return }
      Unmanaged<UVHandle>.fromOpaque(data).release()
    }
  }

  static func fire(_ data: UnsafeMutableRawPointer?) {
    guard let data else { return }
    let handle = Unmanaged<UVHandle>.fromOpaque(data).takeUnretainedValue()
    let work = handle.work
    if !handle.repeats { handle.cancel() }
    work?()
  }
}

extension Duration {
  fileprivate var milliseconds: UInt64 {
    UInt64(max(0, components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000))
  }
}
