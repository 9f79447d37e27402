import Foundation
import Reunion

/// `reunion log`: who came in at a server, and who was refused, put out or limited.
enum LogCommand {
  private static let help = """
    Usage: reunion log FOLDER [--json]

    Prints the security log of the server in FOLDER, the oldest line first: when, what, and about
    whom. What: joined, refused, put-out, left, replaced (a link), limited, damaged. It names devices
    as --people does, and networks, but no people, links or tokens. The server may be running.

    Exit codes: 0 printed, 1 failed, 2 not understood.
    """

  static let verb = Verb("log", help: help) { arguments, output, _ in
    let folder = try arguments.rest(1...1, or: "Say which folder.")[0]
    let lines = try ["security.log.1", "security.log"].flatMap { try read("\(folder)/\($0)") }
    guard !lines.isEmpty else {
      throw CommandFailure(
        1,
        "There is no security log in \(folder). Name the folder of a server that somebody joined.")
    }
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      guard words.count >= 2 else { continue }
      var fields = ["at": words[0], "event": words[1]]
      for word in words.dropFirst(2) {
        let pair = word.split(separator: "=", maxSplits: 1).map(String.init)
        if pair.count == 2 { fields[pair[0]] = pair[1] }
      }
      output.say(fields, String(line))
    }
  }

  private static func read(_ path: String) throws -> [Substring] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw CommandFailure(1, "\(path) cannot be read. Run this as its owner.")
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }
}
