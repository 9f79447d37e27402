import Foundation
import Glibc
import ReunionFlow
import Waiting

/// Another process of the lane, which says line by line what it sees, and is told what to do.
final class Child: Sendable {
  private let id: Lock<pid_t>
  private let input: Int32
  private let lines = Lock<[String]>([])
  let name: String

  init(_ name: String, _ words: [String]) throws {
    self.name = name
    var (into, out): ([Int32], [Int32]) = ([0, 0], [0, 0])
    guard pipe(&into) == 0, pipe(&out) == 0 else { throw LaneError("No pipe is left.") }
    for end in into + out { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    id = Lock(try spawn(words, input: into[0], output: out[1], error: out[1]))
    close(into[0])
    close(out[1])
    input = into[1]
    let source = out[0]
    Thread.detachNewThread { [lines] in
      forEachLine(of: source) { line in
        lines.withLock { $0.append(line) }
        note("[\(name)] \(line)")
      }
      close(source)
    }
  }

  /// What it has said, with its number among all lines.
  func said(_ word: String) -> [[String]] {
    lines.withLock { $0 }.map { $0.split(separator: " ").map(String.init) }
      .filter { $0.first == word }
  }

  /// The lines that begin so.
  func lines(with words: String) -> [String] {
    lines.withLock { $0 }.filter { $0.hasPrefix(words) }
  }

  /// Whether it has said this since it had said `count` lines.
  func hasSaid(_ part: String, after count: Int = 0) -> Bool {
    lines.withLock { $0 }.dropFirst(count).contains { $0.contains(part) }
  }

  /// How many lines it has said.
  var lineCount: Int { lines.withLock { $0.count } }

  func tell(_ line: String) { try? send(Array((line + "\n").utf8), to: input) }

  /// Ends it without a word.
  func kill() {
    id.withLock { id in
      guard id > 0 else { return }
      Glibc.kill(id, SIGKILL)
      var status: Int32 = 0
      waitpid(id, &status, 0)
      id = 0
    }
  }

  /// Asks it to end, as Ctrl-C does.
  func stop() { id.withLock { id in if id > 0 { Glibc.kill(id, SIGTERM) } } }

  /// Waits for its own end, and gives its code.
  func finish() async throws -> Int32 {
    try await find("\(name) ends") {
      self.id.withLock { id in
        var status: Int32 = 0
        guard waitpid(id, &status, WNOHANG) == id else { return nil }
        id = 0
        return status == 0 ? 0 : 1
      }
    }
  }

  deinit {
    kill()
    close(input)
  }
}
