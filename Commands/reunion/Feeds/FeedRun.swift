import Foundation
import Reunion
import ReunionCommandLine
import ReunionFeeds

/// Brings the bytes of a feed to its import, and says how far it is and how it ended.
final class FeedRun: @unchecked Sendable {
  private let source: FeedSource
  private let output: Output
  private let mayLeadInside: Bool
  // Unchecked, since no lock is needed: the one task has these until the semaphore says that the run
  // is over, and `finish` from then on.
  private var work: FeedImport
  private var told = Date()
  private var isUnchanged = false
  private var failure: (any Error)?

  init(
    _ source: FeedSource, _ work: FeedImport, _ output: Output, mayLeadInside: Bool
  ) {
    self.source = source
    self.mayLeadInside = mayLeadInside
    self.work = work
    self.output = output
  }

  /// Imports the feed, until it is over or the process is asked to stop.
  func finish(_ signals: StopSignals) throws {
    let over = DispatchSemaphore(value: 0)
    let task = Task {
      do {
        switch source {
        case .web(let url): try await download(url)
        case .file(let path): try read(path)
        }
      } catch {
        failure = error
      }
      over.signal()
    }
    while over.wait(timeout: .now() + .milliseconds(50)) != .success {
      if signals.wait(milliseconds: 0) { task.cancel() }
    }
    try report()
  }

  private func download(_ url: URL) async throws {
    guard
      let download = try await FeedDownload.start(
        url, unless: work.record.validators, mayLeadInside: mayLeadInside)
    else {
      isUnchanged = true
      return
    }
    do {
      for try await piece in download {
        try work.push(piece, isMoreAtHand: download.hasBytesWaiting)
        tell(of: download.byteCountExpected)
      }
    } catch let error as FeedDownloadError {
      try work.stop()
      throw error
    }
    try work.finish(download.validators)
  }

  private func read(_ path: String) throws {
    let file = try InputFile(path)
    while let piece = try file.next() {
      guard !Task.isCancelled else {
        try work.stop()
        throw FeedDownloadError(.cancelled, "The import was stopped.")
      }
      try work.push(piece, isMoreAtHand: true)
      tell(of: file.byteCount)
    }
    try work.finish(FeedValidators())
  }

  // What is said

  private func tell(of expected: Int?) {
    guard Date().timeIntervalSince(told) > 1 else { return }
    told = Date()
    let part = expected.map { $0 > 0 ? " (\(min(100, work.counts.bytes * 100 / $0)) %)" : "" } ?? ""
    output.say(fields("working"), "\(sentence) so far, of \(megabytes)\(part).")
  }

  private var megabytes: String { String(format: "%.1f MB", Double(work.counts.bytes) / 1e6) }

  private var sentence: String {
    let counts = work.counts
    let deleted = counts.deleted > 0 ? ", \(counts.deleted) deleted here" : ""
    return "\(counts.entries.counted("entry", "entries")): \(counts.new) new, "
      + "\(counts.changed) changed, \(counts.unchanged) as before\(deleted)"
      + (counts.repeated > 0 ? "; \(counts.repeated) repeated" : "")
      + (counts.renamed > 0 ? "; \(counts.renamed) with the id of another" : "")
  }

  private func fields(_ state: String) -> [String: any Sendable] {
    [
      "state": state, "space": work.folder.space.description, "feed": work.record.id.description,
      "bytes": work.counts.bytes, "entries": work.counts.entries, "new": work.counts.new,
      "changed": work.counts.changed, "unchanged": work.counts.unchanged,
      "deleted": work.counts.deleted, "repeated": work.counts.repeated,
      "renamed": work.counts.renamed,
    ]
  }

  private func report() throws {
    guard let failure else {
      return output.say(
        fields(isUnchanged ? "unchanged" : "done"),
        isUnchanged
          ? "The feed has not changed since the last import." : "Imported \(sentence).")
    }
    var broken = fields("broken")
    if let error = failure as? FeedError {
      broken["line"] = error.line
      broken["column"] = error.column
    }
    if work.counts.entries > 0 { output.say(broken, "Kept \(sentence).") }
    throw command(failure)
  }

  private func command(_ error: any Error) -> any Error {
    let isPart = work.counts.entries > 0
    switch error {
    case is FeedError where work.counts.bytes == 0:
      return CommandFailure(1, "\(source.name) is empty.")
    case let error as FeedError:
      let problems: [FeedError.Code: String] = [
        .notAFeed: "is not a feed", .malformed: "is not well-formed XML",
        .truncated: "is not whole",
      ]
      return CommandFailure(
        isPart ? 5 : 1,
        "\(source.name) \(problems[error.code] ?? "cannot be read on"). \(error.description)")
    case let error as FeedDownloadError:
      let codes: [FeedDownloadError.Code: Int32] = [
        .badAddress: 2, .refused: 3, .leadsInside: 3, .tooLong: 3, .cancelled: 1,
      ]
      let advice =
        isPart
        ? " What came before is kept: run it again to go on."
        : error.code == .brokenOff ? " Call it again." : ""
      return CommandFailure(isPart ? 5 : codes[error.code] ?? 4, error.description + advice)
    case let error as CommandFailure where isPart: return CommandFailure(5, error.sentence)
    default: return error
    }
  }
}
