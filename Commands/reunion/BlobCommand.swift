import Foundation
import Reunion

/// `reunion collect` and `erase`: what is done with the blobs of a store that no program has open.
enum BlobCommand {
  static let verbs = [
    Verb("collect", help: collectHelp) { arguments, output, _ in try collect(&arguments, output) },
    Verb("erase", help: eraseHelp) { arguments, output, _ in try erase(&arguments, output) },
  ]

  private static let collectHelp = """
    Usage: reunion collect FOLDER [--grace DAYS] [--dry-run] [--json]

    Removes blobs, such as the originals of deleted photos, that nothing in the store has named for
    DAYS (30). The first run that finds one notes it; a run after the grace removes it, and the next
    one deletes its file. Of the time between two runs at most half of the grace counts. A running
    server does this itself, once a day.

    Exit codes: 0 done, 1 failed, 2 not understood.
    """

  private static let eraseHelp = """
    Usage: reunion erase FOLDER HASH --for-good [--json]

    Erases the blob with that SHA-256 in every space of the store that names it. Its bytes go here at
    once, and from every replica when it next syncs; nobody accepts them again. Records keep the
    name. Backups and archives keep the bytes.

      --for-good   required, since there is no way back

    Exit codes: 0 done, 1 failed, 2 not understood.
    """

  private static func collect(_ arguments: inout Arguments, _ output: Output) throws {
    let isDryRun = arguments.take("--dry-run")
    var grace = BlobStore.grace
    if let text = try arguments.value(of: "--grace") {
      guard let days = Int(text), (0...36_500).contains(days) else {
        throw Misunderstood("Say how many days, as --grace 30.")
      }
      grace = .seconds(days * 86_400)
    }
    var options = StoreOptions()
    // What is only looked at is not upgraded either.
    options.isReadOnly = isDryRun
    let folder = try arguments.rest(1...1, or: "Say which folder.")[0]
    let store = try Store.open(existing: folder, options: options)
    let collected = try store.blobs.collect(grace: grace, isDryRun: isDryRun)
    try store.close()
    let bytes = collected.removed.reduce(0) { $0 + Int(clamping: $1.byteCount) }
    output.say(
      [
        "marked": collected.marked.count, "waiting": collected.waiting,
        "removed": collected.removed.count, "bytes": bytes,
        "deletedFiles": collected.deletedFiles, "state": isDryRun ? "dry run" : "done",
      ],
      "\(isDryRun ? "Would remove" : "Removed") \(collected.removed.count.counted("blob"))"
        + " (\(bytes / 1_000_000) MB). "
        + "Unused and waiting: \(collected.waiting), "
        + "\(collected.marked.count) of them new.")
  }

  private static func erase(_ arguments: inout Arguments, _ output: Output) throws {
    guard arguments.take("--for-good") else {
      throw Misunderstood("Erasing is final: say --for-good.")
    }
    let words = try arguments.rest(2...2, or: "Say which folder, and which blob by its SHA-256.")
    guard let hash = BlobHash(words[1]) else {
      throw Misunderstood("\(words[1]) is not a SHA-256, which has 64 hexadecimal digits.")
    }
    let store = try Store.open(existing: words[0])
    try store.erase(hash)
    try store.close()
    output.say(["hash": "\(hash)", "state": "erased"], "Erased \(hash), for good.")
  }
}
