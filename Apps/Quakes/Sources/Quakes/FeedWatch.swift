import Foundation
import Reunion
import ReunionCore
import ReunionFeeds

/// Looks at a feed again and again, brings the map up to date, and says how the feed stands.
actor FeedWatch {
  private let source: FeedSource
  private let folder: QuakeFolder
  private let keptSeconds: Double
  private let say: @Sendable (String) -> Void
  private var schedule: Schedule
  /// What is not to be fetched again: the version that is in the store, or one that is malformed.
  private var version: FeedVersion?
  /// What is wrong with that version.
  private var fault: String?
  /// How far back the feed goes.
  private var reach: FeedReach
  /// A feed that is larger is none of earthquakes.
  private static var limits: FeedLimits {
    var limits = FeedLimits()
    limits.documentBytesMax = 64_000_000
    return limits
  }

  /// Whether the last look failed.
  private var isAway = false
  private var told = ""

  init(
    _ source: FeedSource, into folder: QuakeFolder, everySeconds: Double, keptDays: Int,
    say: @escaping @Sendable (String) -> Void
  ) {
    self.source = source
    self.folder = folder
    self.say = say
    keptSeconds = Double(keptDays) * 86_400
    schedule = Schedule(everySeconds: everySeconds)
    version = folder.version(of: source)
    reach = folder.reach(of: source)
  }

  /// Goes on until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      let seconds = await look()
      try? await Task.sleep(for: .seconds(seconds))
    }
  }

  /// One look; the seconds until the next.
  private func look() async -> Double {
    do {
      let sentence = try await bring()
      let seconds = schedule.succeeded()
      try folder.note {
        $0.source = source.name
        $0.problem = fault ?? ""
        if fault == nil { $0.checkedAt = Date() }
      }
      if let sentence { tell(sentence) } else if isAway { tell("\(source.name) answers again.") }
      isAway = false
      return seconds
    } catch {
      let failure = error as? Failure
      let seconds = schedule.failed(retryAfter: failure?.retryAfter)
      let problem = failure?.description ?? "\(error)"
      // Where the store is what fails, the page learns of it by its own means.
      try? folder.note {
        $0.source = source.name
        $0.problem = problem
      }
      tell("\(problem) Next try in \(Self.text(of: seconds)).")
      isAway = true
      return seconds
    }
  }

  /// Reads the feed where it is another than before; what there is to say of it then.
  private func bring() async throws -> String? {
    guard let answer = try await source.read(since: version) else { return nil }
    // By the store's time, so that a clock that leapt for a moment takes away no quake.
    let time = try folder.store.settleTime()
    let now = Double(time.earliest) / 1000
    var intake = try Intake(
      of: feedName, into: folder, since: Date(timeIntervalSince1970: now - keptSeconds))
    let parser = FeedParser(limits: Self.limits)
    do {
      for try await bytes in answer.chunks { try parser.push(bytes) { try intake.take($0) } }
      try parser.finish { try intake.take($0) }
    } catch {
      // What came before it stays.
      try intake.flush()
      if let error = error as? FeedDownloadError { throw source.failure(of: error) }
      guard let error = error as? FeedError else { throw error }
      let problem = Self.sentence(of: error, in: source.name)
      // The same bytes are not fetched for the same error; a download that was cut off is another
      // the next time.
      guard answer.version != nil, error.code != .truncated else { throw Failure(problem) }
      (version, fault) = (answer.version, problem)
      return "\(problem) It is read again when it changes."
    }
    var reach = reach
    try intake.finish(parser.feed, reach: &reach)
    let title = parser.feed?.title ?? ""
    try folder.note { $0.title = title }
    try folder.keep(answer.version, reach, of: source)
    self.reach = reach
    (version, fault) = (answer.version, nil)
    return Self.sentence(of: intake.counts, title: title.isEmpty ? source.name : title)
  }

  /// A short name of the feed, for telling its quakes from another's.
  private var feedName: String {
    Hexadecimal.text(SHA256.hash(Array(source.address.utf8)).prefix(8))
  }

  /// Says a sentence, if it is another than the last one.
  private func tell(_ sentence: String) {
    guard sentence != told else { return }
    told = sentence
    say(sentence)
  }

  static func sentence(of error: FeedError, in name: String) -> String {
    "\(name) cannot be read on at line \(error.line), column \(error.column). \(error.message)"
  }

  static func sentence(of counts: Intake.Counts, title: String) -> String {
    var parts = ["\(counts.named) \(counts.named == 1 ? "quake" : "quakes")"]
    if counts.new > 0 { parts.append("\(counts.new) new") }
    if counts.changed > 0 { parts.append("\(counts.changed) changed") }
    if counts.withdrawn > 0 { parts.append("\(counts.withdrawn) withdrawn") }
    if counts.aged > 0 { parts.append("\(counts.aged) too old") }
    if counts.unplaced > 0 { parts.append("\(counts.unplaced) without a place or time") }
    return "\(title): \(parts.joined(separator: ", "))."
  }

  static func text(of seconds: Double) -> String {
    if seconds >= 120 { return "\(Int((seconds / 60).rounded())) min" }
    let tenths = (seconds * 10).rounded() / 10
    return seconds >= 10 || tenths == tenths.rounded()
      ? "\(Int(seconds.rounded())) s" : "\(tenths) s"
  }
}
