import Foundation
import Reunion
import ReunionFeeds

/// `reunion import feed`: a feed as records, while it downloads.
enum FeedCommand {
  static let help = """
    Usage: reunion import feed SOURCE FOLDER [--space ID] [--json]

    Makes records of the entries of a feed, as they arrive: Atom, RSS, GPX or KML, from an address
    of http or https or from a file. FOLDER is that of a store, or a new one. Called again, it asks
    the server only for what is new, and writes only fields that differ. An entry keeps its record,
    by its id; one that was deleted here stays deleted.

      --space ID   the space, by its 32 digits; may be left out where FOLDER has one, or none yet
      --json       a JSON object a line: {"entries", "new", "changed", "unchanged", "state"}

      reunion import feed https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/2.5_day.atom quakes
      reunion sql quakes "SELECT title, latitude, longitude FROM feedEntry ORDER BY updated DESC"

    Exit codes: 0 done, 1 failed, 2 not understood, 3 refused by the server, 4 not reachable,
    5 done in part: what came before the feed broke is kept; call it again.
    """

  static func run(
    _ arguments: [String], _ output: Output, _ wantsHelp: Bool, _ signals: StopSignals
  ) throws {
    guard !wantsHelp else { return print(help) }
    var words = arguments
    var space: String?
    if let index = words.firstIndex(of: "--space") {
      guard index + 1 < words.count else { throw CommandFailure(2, "Say which space.\n\n\(help)") }
      space = words[index + 1]
      words.removeSubrange(index...index + 1)
    }
    guard words.count == 2, !words.contains(where: { $0.hasPrefix("-") }) else {
      throw CommandFailure(2, "Say which feed, and into which folder.\n\n\(help)")
    }
    let source = try FeedSource(words[0])
    do {
      let folder = try FeedFolder(words[1], space: space, source: source.name)
      let run = FeedRun(source, FeedImport(into: folder), output)
      let outcome = Result { try run.finish(signals) }
      try folder.close()
      try outcome.get()
    } catch let error as StoreError {
      throw CommandFailure(1, error.description)
    }
  }
}
