import Foundation
import Reunion

/// `reunion collect` and `erase`: what is done with the blobs of a store that no program has open.
enum BlobCommand {
  static let help = [
    "collect": """
    Usage: reunion collect FOLDER [--grace DAYS] [--dry-run] [--json]

    Takes away blobs, such as the originals of deleted photos, that nothing in the store has named
    for DAYS (30). The first run that finds one notes it; a run after the grace takes it, the next
    one deletes its file. Of the time between two runs at most half of the grace counts. An album
    that is served does this itself, once a day.

    Exit codes: 0 done, 1 failed.
    """,
    "erase": """
    Usage: reunion erase FOLDER HASH --for-good [--json]

    Erases the blob of that SHA-256 in every space of the store that names it. Its bytes are removed
    here at once, and at every replica when it next syncs; nobody takes them again. Records keep
    the name. Backups and archives keep the bytes. There is no way back, so say --for-good.

    Exit codes: 0 done, 1 failed.
    """,
  ]

  static func run(
    _ verb: String, _ arguments: [String], _ output: Output, _ wantsHelp: Bool
  ) throws {
    guard !wantsHelp else { return print(help[verb] ?? "") }
    do {
      try verb == "collect" ? collect(arguments, output) : erase(arguments, output)
    } catch let error as StoreError {
      throw CommandFailure(1, error.description)
    }
  }

  private static func collect(_ arguments: [String], _ output: Output) throws {
    var rest = arguments
    let isDryRun = rest.contains("--dry-run")
    rest.removeAll { $0 == "--dry-run" }
    var grace = BlobStore.grace
    if let index = rest.firstIndex(of: "--grace") {
      guard index + 1 < rest.count, let days = Int(rest[index + 1]), (0...36_500).contains(days)
      else { throw CommandFailure(2, "Say how many days, as --grace 30.") }
      grace = .seconds(days * 86_400)
      rest.removeSubrange(index...index + 1)
    }
    let store = try open(rest, count: 1, "collect")
    let collected = try store.blobs.collect(grace: grace, isDryRun: isDryRun)
    try store.close()
    let bytes = collected.removed.reduce(0) { $0 + Int(clamping: $1.byteCount) }
    output.say(
      [
        "marked": collected.marked.count, "waiting": collected.waiting,
        "removed": collected.removed.count, "bytes": bytes,
        "deletedFiles": collected.deletedFiles, "state": isDryRun ? "dry run" : "done",
      ],
      "\(isDryRun ? "It would take" : "Took") \(FolderCommand.plural(collected.removed.count, "blob"))"
        + " of \(bytes / 1_000_000) MB. \(collected.waiting) are not named and wait, "
        + "\(collected.marked.count) of them from now on.")
  }

  private static func erase(_ arguments: [String], _ output: Output) throws {
    var rest = arguments
    guard rest.contains("--for-good") else {
      throw CommandFailure(2, "Erasing is final: say --for-good.\n\n\(help["erase"] ?? "")")
    }
    rest.removeAll { $0 == "--for-good" }
    guard let text = rest.dropFirst().first, let hash = BlobHash(text) else {
      throw CommandFailure(2, "Say which blob, by its SHA-256.\n\n\(help["erase"] ?? "")")
    }
    let store = try open(rest, count: 2, "erase")
    try store.erase(hash)
    try store.close()
    output.say(["hash": "\(hash)", "state": "erased"], "Erased \(hash), for good.")
  }

  private static func open(_ arguments: [String], count: Int, _ verb: String) throws -> Store {
    guard arguments.count == count, !arguments[0].hasPrefix("-") else {
      throw CommandFailure(2, "Say which folder.\n\n\(help[verb] ?? "")")
    }
    return try Store.open(existing: arguments[0])
  }
}
