import Foundation
import Glibc
import ReunionDBus
import ReunionFlow

/// A `dbus-daemon` of this test alone, with nothing but what the test puts on it.
final class PrivateBus: Sendable {
  struct NoDaemon: Error {}

  let address: String
  private let daemon: Lock<pid_t>
  private let folder: URL

  /// Starts it; it ends when nobody holds it.
  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "bus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let socket = folder.appending(path: "bus").path
    let settings = folder.appending(path: "bus.conf")
    try """
    <busconfig>
      <type>session</type>
      <listen>unix:path=\(socket)</listen>
      <auth>EXTERNAL</auth>
      <policy context="default">
        <allow send_destination="*"/>
        <allow receive_sender="*"/>
        <allow own="*"/>
        <deny send_destination="org.example.Forbidden"/>
      </policy>
    </busconfig>
    """.write(to: settings, atomically: true, encoding: .utf8)
    address = "unix:path=\(socket)"
    daemon = Lock(
      try Self.start(["--config-file", settings.path, "--nofork", "--print-address=1"]))
  }

  /// Starts the daemon, and waits until it says its address: then it listens.
  private static func start(_ arguments: [String]) throws -> pid_t {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw NoDaemon() }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var words = (["dbus-daemon"] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id: pid_t = 0
    let started = posix_spawn(&id, "/usr/bin/dbus-daemon", &actions, nil, &words, environ)
    close(ends[1])
    defer { close(ends[0]) }
    var byte: UInt8 = 0
    guard started == 0, read(ends[0], &byte, 1) == 1 else { throw NoDaemon() }
    return id
  }

  func connect(whenLost: @escaping @Sendable () -> Void = {}) throws -> Bus {
    try Bus(.at(address), whenLost: whenLost)
  }

  /// Ends it before its time.
  func stop() {
    daemon.withLock { id in
      guard id > 0 else { return }
      kill(id, SIGKILL)
      var status: Int32 = 0
      waitpid(id, &status, 0)
      id = 0
    }
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(at: folder)
  }
}
