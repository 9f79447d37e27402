package import CWebSockets
import Glibc
import ReunionFlow

/// One thread that owns sockets and timers: a libwebsockets context on a libuv loop.
///
/// The loop is libuv's and not libwebsockets' own, which scans every socket on each turn and
/// collapses beside thousands of idle ones; and it is ours, because a loop that libwebsockets makes
/// takes over SIGINT and SIGTERM.
///
/// *Thread*: `execute`, `schedule`, `stop` and `isCurrent` from any thread; all else on the loop's.
/// Unchecked: what it holds without a lock is touched there alone.
/// *Limits*: sockets, by the process's limit of open files when the loop starts.
package final class EventLoop: @unchecked Sendable {
  /// Which work goes first where much of it waits.
  package enum Urgency {
    /// What somebody waits for.
    case prompt
    /// What goes to many at once.
    case patient
  }

  private struct Mailbox {
    var prompt: [@Sendable () -> Void] = []
    var patient: [@Sendable () -> Void] = []
    var isOpen = true

    var isEmpty: Bool { prompt.isEmpty && patient.isEmpty }
  }

  /// Work of one urgency that was taken from the mailbox and waits for its turn.
  private struct Backlog {
    /// The oldest last.
    private var due: [@Sendable () -> Void] = []
    /// How much of it is done in one turn.
    private(set) var share = 0

    var isEmpty: Bool { due.isEmpty }

    mutating func take(_ work: inout [@Sendable () -> Void]) {
      guard due.isEmpty else { return }
      due = work.reversed()
      work = []
      share = max(EventLoop.workAtOnce, due.count / EventLoop.turnsMax)
    }

    mutating func next() -> (@Sendable () -> Void)? { due.popLast() }
  }

  /// The largest number of bytes that one write carries.
  package static let writeBytesMax = 1 << 20

  /// How much of what waits is done in one turn: the least, and how many turns all of it takes at most. A
  /// turn may be long, since sockets have theirs in between.
  private static let (workAtOnce, turnsMax) = (3, 16)

  /// Room for one write, with the space that libwebsockets wants in front of it.
  let scratch: UnsafeMutableRawBufferPointer
  private(set) var context: OpaquePointer?
  private(set) var vhost: OpaquePointer?
  /// The sockets that libwebsockets may still call back for, by the numbers that it has for them.
  private var sockets: [UInt: Socket] = [:]
  /// No number is given twice: libwebsockets may call back for one that is gone.
  private var lastSocket: UInt = 0
  /// The timers and watched descriptors that have not ended.
  var handles: [ObjectIdentifier: any LoopHandle] = [:]

  package let uv: UnsafeMutablePointer<uv_loop_t>
  private let wake: UnsafeMutablePointer<uv_async_t>
  /// The descriptor that libwebsockets closes twice.
  private var wakeDescriptor: Int32 = -1
  private let mailbox = Lock(Mailbox())
  private var prompt = Backlog()
  private var patient = Backlog()
  /// What begins the next turn.
  private var first: [() -> Void] = []
  /// Whether its last turns have come.
  private var isClosing = false
  /// The thread that `stop` joins, and the one that runs: known from its own first line.
  private let thread = Lock<pthread_t?>(nil)
  private let identity = Lock<pthread_t?>(nil)

  /// Starts the thread and returns when it serves.
  ///
  /// - Throws: `EventLoopError` where the system has no room for it, or where the libuv plugin of
  ///   libwebsockets is missing.
  package init() throws(EventLoopError) {
    signal(SIGPIPE, SIG_IGN)
    reunion_lws_log_errors()
    uv = .allocate(capacity: 1)
    wake = .allocate(capacity: 1)
    scratch = .allocate(byteCount: reunion_lws_pre() + Self.writeBytesMax, alignment: 16)
    guard uv_loop_init(uv) == 0 else {
      throw EventLoopError("The event loop could not start: the system gave no descriptors for it.")
    }
    uv_async_init(uv, wake) { EventLoop.of($0?.pointee.data)?.doWork() }
    wake.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    (context, wakeDescriptor) = Self.makeContext(
      uv, owner: Unmanaged.passUnretained(self).toOpaque())
    vhost = context.flatMap { reunion_lws_vhost($0, SocketProtocols.table) }
    guard vhost != nil else {
      close()
      throw EventLoopError(
        "The network layer could not start: install the package libwebsockets-evlib-uv, "
          + "which lets libwebsockets run on libuv.")
    }
    var started = pthread_t()
    let status = pthread_create(
      &started, nil,
      { raw in
        guard let raw else { return nil }
        Unmanaged<EventLoop>.fromOpaque(raw).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    guard status == 0 else {
      Unmanaged.passUnretained(self).release()
      close()
      throw EventLoopError("The event loop could not start: the system gave no thread for it.")
    }
    thread.withLock { $0 = started }
  }

  /// How many contexts have begun.
  private static let begun = Lock(UInt32(0))

  /// Makes a context, one at a time, and finds the descriptor that wakes it: the number of wakes tells it
  /// from those of others, whose loops may not run yet.
  private static func makeContext(
    _ uv: UnsafeMutablePointer<uv_loop_t>, owner: UnsafeMutableRawPointer
  ) -> (context: OpaquePointer?, wakeDescriptor: Int32) {
    begun.withLock { begun in
      guard let context = reunion_lws_context(uv, 128 << 10, owner) else { return (nil, -1) }
      begun &+= 1
      return (context, reunion_lws_wake_descriptor(context, 97 + begun % 64 * 16))
    }
  }

  deinit {
    scratch.deallocate()
    wake.deallocate()
    uv.deallocate()
  }

  /// True on the loop's own thread.
  package var isCurrent: Bool {
    identity.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  /// Runs `work` on the loop's thread, in the order of the calls of one urgency; never inside this call.
  ///
  /// After `stop` it does nothing, and `work` is dropped.
  package func execute(_ urgency: Urgency = .prompt, _ work: @escaping @Sendable () -> Void) {
    mailbox.withLock { box in
      guard box.isOpen else { return }
      if box.isEmpty { uv_async_send(wake) }
      switch urgency {
      case .prompt: box.prompt.append(work)
      case .patient: box.patient.append(work)
      }
    }
  }

  /// Runs `work` as the first of the next turn, after what sockets have brought by then. *Thread*: the loop's.
  package func beginNextTurn(with work: @escaping () -> Void) {
    guard !isClosing else { return }
    first.append(work)
    uv_async_send(wake)
  }

  /// Closes every socket and ends the thread; returns when it has ended, unless called on it.
  package func stop() {
    guard let running = thread.withLock({ $0.take() }) else { return }
    execute { [self] in uv_stop(uv) }
    mailbox.withLock { $0.isOpen = false }
    if isCurrent { pthread_detach(running) } else { pthread_join(running, nil) }
  }

  private func run() {
    identity.withLock { $0 = pthread_self() }
    uv_run(uv, UV_RUN_DEFAULT)
    while doWork() {}
    close()
  }

  /// Lets libwebsockets close all that it has, which takes turns of the loop. Where the loop may take no
  /// more, the other sides hear of it all the same.
  private func close() {
    isClosing = true
    for socket in sockets.values where socket.descriptor >= 0 {
      _ = shutdown(socket.descriptor, Int32(SHUT_WR))
    }
    uv_close(UnsafeMutableRawPointer(wake).assumingMemoryBound(to: uv_handle_t.self), nil)
    let mayRun = context.map { reunion_lws_destroy($0, wakeDescriptor) != 0 } ?? true
    context = nil
    vhost = nil
    for handle in Array(handles.values) { handle.cancel() }
    guard mayRun else { return }
    for _ in 0..<1000 where uv_run(uv, UV_RUN_NOWAIT) != 0 {}
    uv_loop_close(uv)
  }

  /// Does some of what waited, the oldest first. The rest, and what is asked for meanwhile, comes in the
  /// next turns, behind what the sockets brought: whoever asks for a page waits for a part of a message to
  /// two hundred, and not for all of it.
  /// False where nothing waited.
  @discardableResult
  private func doWork() -> Bool {
    mailbox.withLock { box in
      prompt.take(&box.prompt)
      patient.take(&box.patient)
    }
    guard !first.isEmpty || !prompt.isEmpty || !patient.isEmpty else { return false }
    let beginnings = first
    first = []
    for begin in beginnings { begin() }
    // Taken out one by one: what has been done holds nothing that it captured.
    for _ in 0..<prompt.share { prompt.next()?() }
    for _ in 0..<patient.share { patient.next()?() }
    let isLeft = !prompt.isEmpty || !patient.isEmpty || mailbox.withLock { !$0.isEmpty }
    if isLeft { uv_async_send(wake) }
    return true
  }

  private static func of(_ raw: UnsafeMutableRawPointer?) -> EventLoop? {
    raw.map { Unmanaged<EventLoop>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Keeps a socket until it is closed, and gives its number.
  func keep(_ socket: Socket) -> UInt {
    lastSocket += 1
    sockets[lastSocket] = socket
    return lastSocket
  }

  func forget(_ number: UInt) { sockets[number] = nil }

  /// The socket that libwebsockets calls back for; nil where it is closed already.
  static func socket(of wsi: OpaquePointer?) -> Socket? {
    guard let wsi, let raw = lws_get_opaque_user_data(wsi) else { return nil }
    return of(lws_context_user(lws_get_context(wsi)))?.sockets[UInt(bitPattern: raw)]
  }
}

/// Why an event loop could not start, in a sentence that names the remedy.
package struct EventLoopError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
