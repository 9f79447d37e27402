import Foundation
import Reunion
import ReunionFeeds

/// `reunion import feed`: a feed as records, while it downloads.
enum FeedCommand {
  private static let help = """
    Usage: reunion import feed SOURCE FOLDER [--space ID] [--inside] [--json]

    Makes records of the entries of a feed, as they arrive: Atom, RSS, GPX or KML, from an address
    (http or https) or from a file. FOLDER is that of a store, or a new one. Run again, it asks
    the server only for what is new, and writes only fields that differ. An entry keeps its record,
    by its id, also where a file was moved; an entry that you deleted here stays deleted. Where
    entries of one feed have the same id and say other things, each has a record of its own.

      --space ID   the space, by its 32 digits; leave it out if FOLDER has one, or none yet
      --inside     an address on the internet may lead to this machine and its networks
      --json       one JSON object a line: {"entries", "new", "changed", "unchanged",
                   "deleted", "repeated", "renamed", "state"}; what comes twice in a feed is
                   counted once; "renamed" had the id of another entry, and got one of its own

      reunion import feed https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/2.5_day.atom quakes
      reunion sql quakes "SELECT title, latitude, longitude FROM reunion_feedEntry LIMIT 5"

    Exit codes: 0 done, 1 failed, 2 not understood, 3 refused by the server, 4 not reachable,
    5 done in part: what came before the feed broke is kept; run it again.
    """

  static let verb = Verb("import feed", help: help) { arguments, output, signals in
    let space = try arguments.value(of: "--space")
    let mayLeadInside = arguments.take("--inside")
    let words = try arguments.rest(2...2, or: "Say which feed, and into which folder.")
    let source = try FeedSource(words[0])
    let folder = try FeedFolder(words[1], space: space, source: source.name)
    let run = FeedRun(source, FeedImport(into: folder), output, mayLeadInside: mayLeadInside)
    let outcome = Result { try run.finish(signals) }
    try folder.close()
    try outcome.get()
  }
}
