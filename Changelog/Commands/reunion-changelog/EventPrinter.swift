import ReunionChangelog
import ReunionCommandLine

/// Prints what happens while it does: a line of text, or an object.
struct EventPrinter {
  private let output: Output
  private let isScript: Bool

  init(_ output: Output, isScript: Bool) {
    self.output = output
    self.isScript = isScript
  }

  func report(_ event: RunEvent) {
    switch event {
    case .warning(let warning):
      output.remark(
        [
          "warning": warning.sentence, "file": warning.place.file, "line": warning.place.line,
        ], "Warning: \(warning)")
    case .waiting(let holder, let since):
      output.remark(
        ["event": "waiting", "holder": holder, "since": since ?? ""],
        "Waiting for the lock, which \(holder) has\(since.map { " since \($0)" } ?? "").")
    case .tookOver(let holder, let since):
      output.remark(
        ["event": "tookOver", "holder": holder, "since": since],
        "Took over the lock of \(holder), which it had since \(since).")
    case .copied(let path):
      output.remark(
        ["event": "copied", "path": path], "Copied the database to \(path) first.")
    case .proved(let sentence):
      output.remark(
        ["event": "proved", "what": sentence], "Proved on a scratch copy: \(sentence).")
    default:
      // A script is SQL and nothing else.
      if !isScript { progress(event) }
    }
  }

  private func progress(_ event: RunEvent) {
    switch event {
    case .began(let key, let number, let count):
      if output.isJSON {
        say("began", key, ["number": number, "of": count], "")
      }
    case .ran(let key, let milliseconds, let isAgain):
      say(
        isAgain ? "reran" : "ran", key, ["milliseconds": Int(milliseconds)],
        "\(isAgain ? "Ran again" : "Ran") \(key) (\(milliseconds) ms)")
    case .marked(let key, let why):
      say("marked", key, ["why": why], "Marked as run \(key): \(why)")
    case .moved(let key, let path):
      say("moved", key, ["from": path], "Gave its row the path \(key), after \(path)")
    case .leftOut(let key, let why):
      say("leftOut", key, ["why": why], "Left out \(key): \(why)")
    case .failed(let key, let error):
      say("failed", key, ["error": error.sentence], "Failed, as it may, \(key): \(error)")
    case .resumed(let key, let number):
      say(
        "resumed", key, ["behind": number],
        "Going on with \(key) behind its statement \(number)")
    case .rolledBack(let key, let milliseconds):
      say(
        "rolledBack", key, ["milliseconds": Int(milliseconds)],
        "Rolled back \(key) (\(milliseconds) ms)")
    default: break
    }
  }

  private func say(
    _ event: String, _ key: ChangesetKey, _ fields: [String: any Sendable], _ sentence: String
  ) {
    let base: [String: any Sendable] = ["event": event, "changeset": key.description]
    output.say(base.merging(fields) { $1 }, sentence.onOneLine)
  }
}
