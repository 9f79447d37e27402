import Foundation
import ReunionFlow
import Testing

@testable import ReunionServer

/// What is noted of who comes to the door.
@Suite struct SecurityLogTests {
  private let path = "\(NSTemporaryDirectory())/security-\(UUID()).log"

  private func lines(_ name: String = "") -> [String] {
    ((try? String(contentsOfFile: path + name, encoding: .utf8)) ?? "").split(separator: "\n").map(
      String.init)
  }

  private func remove() {
    for file in [path, path + ".1"] { try? FileManager.default.removeItem(atPath: file) }
  }

  @Test func `an event is one line, and no word of anybody makes another line or field`() {
    defer { remove() }
    let log = SecurityLog(path: path) { Date(timeIntervalSince1970: 1_795_370_645) }
    log.note(.joined, ["device": "0123456789abcdef", "role": "add"], from: "2001:db8:1:2::9")
    log.note(.refused, ["why": "a\n2026-01-01T00:00:00Z joined role=admin", "x": ""])
    #expect(
      lines() == [
        "2026-11-22T18:04:05Z joined device=0123456789abcdef role=add network=2001:db8:1:2",
        "2026-11-22T18:04:05Z refused why=a_2026-01-01T00:00:00Z_joined_role_admin x=-",
      ])
    var about = stat()
    #expect(stat(path, &about) == 0 && about.st_mode & 0o077 == 0)
  }

  @Test func `a flood from one network is in the log and does not fill it, and others are in it`() {
    defer { remove() }
    let now = Lock(Date(timeIntervalSince1970: 1_000_000_020))
    let log = SecurityLog(path: path) { now.withLock { $0 } }
    for _ in 0..<1_000 { log.note(.refused, ["why": "link"], from: "10.0.0.1") }
    log.note(.joined, ["device": "1"], from: "10.0.0.2")
    #expect(lines().count == SecurityLog.linesPerMinute + 1)
    now.withLock { $0 += 60 }
    log.note(.joined, ["device": "2"], from: "10.0.0.1")
    #expect(lines().last?.contains("device=2") == true)
  }

  @Test func `who is known and acts again and again washes nothing away`() {
    defer { remove() }
    let log = SecurityLog(path: path) { Date(timeIntervalSince1970: 1_000_000_020) }
    for _ in 0..<1_000 { log.note(.joined, ["device": "1"], from: "10.0.0.1") }
    #expect(lines().count == SecurityLog.actsPerMinute)
    log.note(.joined, ["device": "2"], from: "10.0.0.2")
    log.note(.replaced, ["links": "guests"])
    #expect(lines().count == SecurityLog.actsPerMinute + 2)
  }

  @Test func `a log that is full is put aside, and two files are the most`() throws {
    defer { remove() }
    let log = SecurityLog(path: path)
    for text in ["oldest", "older"] {
      try String(repeating: "\(text)\n", count: SecurityLog.bytesMax / (text.count + 1))
        .write(toFile: path, atomically: true, encoding: .utf8)
      log.note(.left, ["device": text])
      #expect(lines(".1").first == text)
      #expect(lines().count == 1 && lines().last?.contains(text) == true)
    }
  }
}
