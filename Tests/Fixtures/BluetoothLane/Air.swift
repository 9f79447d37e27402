import Foundation
import Glibc
import Waiting

/// The radios of the lane and the service that uses them: it relays the controllers, and starts `bluetoothd`
/// again when it ends, as systemd does.
///
/// It takes commands at a socket, a line each, and answers `ok`: `away`, `back`, `pull NUMBER`, `plug NUMBER`,
/// `pace MS`, `loss PERCENT`, `kill-service`, `stop-service`, `start-service`.
final class Air {
  /// Those that are plugged in.
  private var controllers: [Controller] = []
  private let make: (Int) throws -> Controller
  private let service: [String]
  /// What the service says goes here, and with its time to the log.
  private let logPipe: Int32
  private var serviceID: pid_t?
  private var restartAt: Int64? = 0
  private let listener: Int32
  private var client: Int32?

  init(
    controllers count: Int, seed: UInt64, socket: String, service: [String], log: String,
    trace path: String
  )
    throws
  {
    let trace = try Trace(path)
    make = { try Controller($0, server: "/tmp/bt-server-le", seed: seed, trace: trace) }
    // The kernel numbers them in the order in which they come.
    for number in 0..<count { controllers.append(try make(number)) }
    self.service = service
    logPipe = try Self.timedLog(log)
    listener = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    unlink(socket)
    var address = address(of: socket)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, listen(listener, 4) == 0, chmod(socket, 0o666) == 0 else {
      throw LaneError("The air cannot listen at \(socket).")
    }
  }

  /// A pipe whose lines go to a file, each with the time since the machine started.
  private static func timedLog(_ path: String) throws -> Int32 {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw LaneError("No pipe is left.") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    Thread.detachNewThread { [source = ends[0]] in
      forEachLine(of: source) { line in
        try? send(Array((timed(line) + "\n").utf8), to: file)
      }
    }
    return ends[1]
  }

  func run() throws {
    while true {
      let now = milliseconds()
      try keepService(now)
      let turns = try controllers.compactMap { try $0.turn(now) }
      let next = min(turns.min() ?? now + 200, now + 200)
      var polled = controllers.flatMap {
        [
          pollfd(fd: $0.kernel, events: Int16(POLLIN), revents: 0),
          pollfd(fd: $0.emulator, events: Int16(POLLIN), revents: 0),
        ]
      }
      polled.append(pollfd(fd: client ?? listener, events: Int16(POLLIN), revents: 0))
      guard poll(&polled, nfds_t(polled.count), Int32(max(0, next - now))) > 0 else { continue }
      for (number, controller) in controllers.enumerated() {
        if polled[2 * number].revents != 0 { try controller.readKernel() }
        if polled[2 * number + 1].revents != 0 { try controller.readEmulator() }
      }
      if polled[2 * controllers.count].revents != 0 { try hear() }
    }
  }

  private func keepService(_ now: Int64) throws {
    if let id = serviceID {
      var status: Int32 = 0
      guard waitpid(id, &status, WNOHANG) == id else { return }
      note("bluetoothd ended (\(status))")
      serviceID = nil
      if restartAt == nil { restartAt = now + 1000 }
    }
    guard let moment = restartAt, moment <= now, moment >= 0 else { return }
    restartAt = nil
    serviceID = try spawn(service, output: logPipe, error: logPipe)
  }

  private func hear() throws {
    guard let client else {
      let number = accept(listener, nil, nil)
      if number >= 0 { self.client = number }
      return
    }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = read(client, &buffer, buffer.count)
    guard count > 0 else {
      close(client)
      self.client = nil
      return
    }
    for line in String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      try obey(words[0], words.count > 1 ? Int(words[1]) ?? 0 : 0)
    }
    try send(Array("ok\n".utf8), to: client)
  }

  private func obey(_ command: String, _ number: Int) throws {
    note("air: \(command) \(number)")
    switch command {
    case "away": for controller in controllers { try controller.leave() }
    case "back": for controller in controllers { try controller.comeBack() }
    case "pull":
      for controller in controllers { try controller.leave() }
      pause(
        for: .milliseconds(50),
        because: "the emulator does what it was asked before an adapter goes")
      controllers.removeAll { $0.number == number }
      for controller in controllers { try controller.comeBack() }
    case "plug":
      controllers.append(try make(number))
      controllers.sort { $0.number < $1.number }
    case "pace": for controller in controllers { controller.intervalMilliseconds = number }
    case "loss": for controller in controllers { controller.lossPercent = number }
    case "kill-service": if let id = serviceID { kill(id, SIGKILL) }
    case "stop-service":
      restartAt = -1
      if let id = serviceID { kill(id, SIGKILL) }
    case "start-service": restartAt = 0
    default: note("air: \(command) is no command")
    }
  }
}
