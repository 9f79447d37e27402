import CSandbox
import CScheduling
import CVips

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The process that decodes pictures from outside, so that a hostile one costs only itself.
///
/// ```swift
/// ImageWorker.runIfAsked()    // the first line of main, before anything is opened
/// let renderer = ImageRenderer()
/// ```
///
/// It is the host program itself, started again with a hidden first argument. Its environment has
/// only library paths, and its only open file is a socket to its host. It may write no file and
/// leave no core, and its memory and time are bounded. Before its first picture it closes itself
/// in; ``ImageSandbox`` says how. From then on it opens nothing, and gets the bytes of pictures
/// over its socket.
public enum ImageWorker {
  /// The hidden first argument.
  package static let argument = "__reunion-images"
  /// The environment variable by which a worker knows that it is one, and how far it gives way.
  static let environmentMark = "REUNION_IMAGE_WORKER"

  /// The program that runs, to be started again as a worker.
  static var ownProgram: String {
    #if os(Linux)
      // Still the running program when its file was replaced by an upgrade.
      "/proc/self/exe"
    #else
      CommandLine.arguments.first ?? ""
    #endif
  }

  /// Becomes the image worker if this process was started as one; otherwise returns at once.
  ///
  /// Call it first thing in `main`, before you open files or start threads. In a worker it never
  /// returns: the process ends when its host does. A program that forgets it starts itself instead
  /// of a worker: its pictures then fail with `workerUnavailable`.
  ///
  /// `reading` is what a ``PictureReader`` of this program makes of a picture: it runs in the
  /// worker, behind its walls, and opens nothing.
  public static func runIfAsked(reading: ((PicturePixels) -> [UInt8])? = nil) {
    runIfAsked(within: .ofThisMachine, reading: reading)
  }

  /// For tests, which also look what a picture can do where walls are missing.
  package static func runIfAsked(
    within walls: ImageSandbox, reading: ((PicturePixels) -> [UInt8])? = nil
  ) {
    let arguments = CommandLine.arguments
    guard arguments.count >= 2, arguments[1] == argument else { return }
    let socket = FrameSocket(descriptor: takeSocket())
    limit(memoryBytesMax: arguments.last.flatMap { UInt64($0) } ?? 0)
    // What it has of the server that started it: nobody waits for a picture as for an answer.
    reunion_ask_for_turns(0)
    _ = nice(getenv(environmentMark).flatMap { Int32(String(cString: $0)) } ?? 10)
    seal(within: walls)
    do {
      try socket.send(WorkerAnswer.greeting(within: walls))
      while true {
        let frame = try socket.receive(bytesMax: WorkerRequest.frameBytesMax)
        guard let request = WorkerRequest(packed: frame) else { exit(65) }
        // Also ends a worker whose host was killed meanwhile.
        alarm(UInt32(clamping: Patience.spansMax * request.secondsMax + 5))
        limitComputing(to: request.computingSecondsMax)
        let picture = try socket.receive(exactly: request.byteCount)
        let answer = PictureDecoder.answer(request, to: picture, reading: reading)
        alarm(0)
        try socket.send(answer.packed)
      }
    } catch {
      exit(0)
    }
  }

  /// How a worker ends that could not put up a wall which its machine offers.
  static let endWithoutWalls = "exit 73"

  /// Puts up the walls around libraries that are loaded, warm and done with opening files.
  private static func seal(within walls: ImageSandbox) {
    guard csandbox_begin(walls.rawValue) == 0 else { exit(73) }
    var message = [CChar](repeating: 0, count: Int(CVIPS_MESSAGE_BYTES))
    guard cvips_start(&message) == CVIPS_OK else { exit(70) }
    SamplePicture.makeAllSmaller()
    closeAll(from: 4)
    guard csandbox_seal(walls.rawValue, 3) == 0 else { exit(73) }
  }

  /// Keeps the socket on standard input, gives libraries that print /dev/null, closes all else.
  private static func takeSocket() -> Int32 {
    let socket = dup(0)
    let null = open("/dev/null", O_RDWR)
    guard socket >= 3, null >= 3 else { exit(71) }
    for standard in Int32(0)...2 { dup2(null, standard) }
    dup2(socket, 3)
    closeAll(from: 4)
    _ = fcntl(3, F_SETFD, FD_CLOEXEC)
    signal(SIGINT, SIG_IGN)
    // The code generator under libvips first tries a file, and then does without.
    signal(SIGXFSZ, SIG_IGN)
    return 3
  }

  private static func closeAll(from first: Int32) {
    guard let directory = opendir("/dev/fd") else { exit(71) }
    var open: [Int32] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let descriptor = Int32(name), descriptor >= first { open.append(descriptor) }
    }
    closedir(directory)
    for descriptor in open { close(descriptor) }
  }

  private static func limit(memoryBytesMax: UInt64) {
    if memoryBytesMax > 0 { set(RLIMIT_AS, memoryBytesMax) }
    set(RLIMIT_NOFILE, 32)
    set(RLIMIT_CORE, 0)
    set(RLIMIT_FSIZE, 0)
  }

  /// Bounds the processor time of the next picture, which a decoder with threads uses up sooner.
  private static func limitComputing(to seconds: Int) {
    var used = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
    set(RLIMIT_CPU, UInt64(clamping: used.tv_sec) &+ UInt64(clamping: seconds) &+ 1, isFinal: false)
  }

  private static func set(_ resource: Resource, _ value: UInt64, isFinal: Bool = true) {
    #if canImport(Glibc)
      let number = __rlimit_resource_t(resource.rawValue)
    #else
      let number = resource
    #endif
    var limit = rlimit()
    guard getrlimit(number, &limit) == 0 else { exit(72) }
    limit.rlim_cur = min(rlim_t(value), limit.rlim_max)
    if isFinal { limit.rlim_max = limit.rlim_cur }
    if setrlimit(number, &limit) != 0 { exit(72) }
  }

  #if canImport(Glibc)
    private typealias Resource = __rlimit_resource
  #else
    private typealias Resource = Int32
  #endif
}
