#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A running image worker and the host's end of the socket to it.
///
/// For one thread at a time. Whoever starts one must call ``stop()``.
final class WorkerProcess {
  /// How to start the worker.
  struct Launch: Sendable {
    var program: String
    var arguments: [String]
    var memoryBytesMax: Int?
    /// The walls that a worker must have put up before it gets a picture.
    var sandbox = ImageSandbox.ofThisMachine
    /// Seconds in which a worker that has not said its greeting may compute nothing.
    var startSecondsMax = 60
    /// How far the worker gives way to others on the machine, 0 to 19.
    var niceness = 10
  }

  /// What a worker inherits of the environment: nothing that could be a secret.
  private static let variables = [
    "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FRAMEWORK_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS",
  ]

  let identifier: pid_t
  private let socket: FrameSocket
  private var isReaped = false

  /// Starts a worker and waits for its greeting.
  init(_ launch: Launch) throws(ImageError) {
    guard getenv(ImageWorker.environmentMark) == nil else {
      throw ImageError(
        .workerUnavailable,
        detail: "this process is an image worker: call ImageWorker.runIfAsked() first in main")
    }
    var ends: [Int32] = [-1, -1]
    #if canImport(Glibc)
      let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw ImageError(.workerUnavailable, detail: "socketpair: errno \(errno)")
    }
    #if !canImport(Glibc)
      var on: Int32 = 1
      setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    #endif
    let spawned = Self.spawn(launch, standardInput: ends[1])
    close(ends[1])
    socket = FrameSocket(descriptor: ends[0])
    guard case .success(let identifier) = spawned else {
      close(ends[0])
      throw ImageError(.workerUnavailable, detail: "posix_spawn of \(launch.program): \(spawned)")
    }
    self.identifier = identifier
    let patience = Patience(seconds: launch.startSecondsMax, of: identifier)
    let greeting = try? socket.receive(bytesMax: 64, patience: patience)
    guard let walls = greeting.flatMap(WorkerAnswer.walls) else {
      let end = stop()
      throw ImageError(
        .workerUnavailable,
        detail: end == ImageWorker.endWithoutWalls
          ? "the sandbox that this machine offers could not be set"
          : "no greeting (\(end)): call ImageWorker.runIfAsked() first in main")
    }
    guard walls.isSuperset(of: launch.sandbox) else {
      stop()
      throw ImageError(
        .workerUnavailable, detail: "the worker has no whole sandbox: \(walls.walls)")
    }
  }

  /// Whether the worker has gone while nobody asked it anything.
  var isUnusable: Bool { socket.isUnusable }

  /// Sends a request with the picture that it is about, and waits for the answer.
  func ask(
    _ request: WorkerRequest, of file: PictureFile, sent: () -> Void
  ) throws(FrameSocket.Failure) -> WorkerAnswer {
    let patience = Patience(seconds: request.secondsMax, of: identifier)
    var request = request
    request.byteCount = file.byteCount
    try socket.send(request.packed, patience: patience)
    try file.send(over: socket, patience: patience)
    sent()
    let frame = try socket.receive(bytesMax: WorkerAnswer.frameBytesMax, patience: patience)
    guard let answer = WorkerAnswer(packed: frame) else { throw .malformed }
    return answer
  }

  /// Kills the worker, waits until it is gone and says how it ended; further calls do nothing.
  @discardableResult
  func stop() -> String {
    guard !isReaped else { return "stopped" }
    isReaped = true
    close(socket.descriptor)
    kill(identifier, SIGKILL)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0 {
      if errno != EINTR { return "unknown end" }
    }
    return status & 0x7F == 0 ? "exit \(status >> 8 & 0xFF)" : "signal \(status & 0x7F)"
  }

  /// How a worker ends that asked the kernel for what its sandbox forbids.
  static let endBySandbox = "signal \(SIGSYS)"

  /// How a worker ends that its own clocks stopped: SIGALRM and SIGXCPU.
  static let endsOfTime: Set<String> = ["signal \(SIGALRM)", "signal \(SIGXCPU)"]

  private enum Spawned {
    case success(pid_t)
    case failure(Int32)
  }

  private static func spawn(_ launch: Launch, standardInput: Int32) -> Spawned {
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_adddup2(&actions, standardInput, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_RDWR, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_RDWR, 0)
    // No blocked and no ignored signals, whatever the host does with its own.
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))

    // The backtracer of the runtime is a program, which a crashed worker may not start.
    var environment = [
      "\(ImageWorker.environmentMark)=\(launch.niceness)", "MALLOC_ARENA_MAX=1",
      "SWIFT_BACKTRACE=enable=no",
    ]
    for name in variables {
      if let value = getenv(name) { environment.append("\(name)=\(String(cString: value))") }
    }
    let memory = launch.memoryBytesMax.map { max($0, 1) } ?? 0
    let words = [launch.program] + launch.arguments + ["\(memory)"]
    var argv: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var envp: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var identifier: pid_t = 0
    let failure = posix_spawn(
      &identifier, launch.program, &actions, &attributes, &argv, &envp)
    return failure == 0 ? .success(identifier) : .failure(failure)
  }
}
