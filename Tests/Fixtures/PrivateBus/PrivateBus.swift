import Foundation
import Glibc
@testable package import ReunionDesktop
@testable import ReunionFlow

/// A `dbus-daemon` of this test alone, with nothing but what the test puts on it.
package final class PrivateBus: Sendable {
  struct NoDaemon: Error {}

  /// Where it listens.
  package let address: String
  private let daemon: Lock<pid_t>
  private let folder: URL

  /// Starts it; it ends when nobody holds it. Nobody may call the forbidden name.
  package init(forbidden: String = "org.example.Forbidden") throws {
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
        <deny send_destination="\(forbidden)"/>
      </policy>
    </busconfig>
    """.write(to: settings, atomically: true, encoding: .utf8)
    address = "unix:path=\(socket)"
    daemon = Lock(try Self.start(with: settings))
  }

  /// Starts it again after its end, at the same address.
  package func restart() throws {
    let id = try Self.start(with: folder.appending(path: "bus.conf"))
    daemon.withLock { $0 = id }
  }

  /// Starts the daemon, and waits until it says its address: then it listens.
  private static func start(with settings: URL) throws -> pid_t {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw NoDaemon() }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    let options = ["--config-file", settings.path, "--nofork", "--print-address=1"]
    // It keeps nothing open of the tests beside: they wait until nobody has theirs any more.
    let alone = """
      for file in /proc/self/fd/*; do file=${file##*/}; ((file < 3)) || exec {file}>&-; done
      exec "$@"
      """
    var words =
      (["bash", "-c", alone, "bash", "/usr/bin/dbus-daemon"] + options).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id: pid_t = 0
    let started = posix_spawn(&id, "/bin/bash", &actions, nil, &words, environ)
    close(ends[1])
    defer { close(ends[0]) }
    var byte: UInt8 = 0
    guard started == 0, read(ends[0], &byte, 1) == 1 else { throw NoDaemon() }
    return id
  }

  /// Makes a connection to it.
  package func connect(whenLost: @escaping @Sendable () -> Void = {}) throws -> Bus {
    try Bus(.at(address), whenLost: whenLost)
  }

  /// Ends it before its time.
  package func stop() {
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

extension Bus {
  /// What the daemon calls this connection.
  package var uniqueName: String {
    get async throws {
      let name = "org.example.Who\(UUID().uuidString.filter { $0.isLetter })"
      _ = try await call(.ofBus("RequestName", [.string(name), .uint32(0)]))
      let owner = try await call(.ofBus("GetNameOwner", [.string(name)]))
      return owner.first?.asText ?? ""
    }
  }
}
