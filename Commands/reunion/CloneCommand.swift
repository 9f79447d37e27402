import Foundation
import Reunion
import ReunionCommandLine
import ReunionMedia

/// `reunion clone`: a full replica of what a link opens, every record and every blob.
///
/// It knows no model: unknown entities and their blobs are kept as they are.
enum CloneCommand {
  private static let help = """
    Usage: reunion clone LINK FOLDER [--once] [--json]

    Makes a full replica in FOLDER of everything that an owner's link opens, byte for byte, and
    keeps it live until you press Ctrl-C. Run it again on the same folder, and it goes on where it
    was; you may then leave out the link, or give a new one if the server has moved. LINK may also
    be a picture of the link's QR code, such as a screenshot.

      --once   stop as soon as everything is here that the other side has; blobs that it lacks too,
               such as photos that are still on a phone, come with a later run
      --json   one JSON object a line: {"records", "blobs", "missing", "state"}

    To serve a cloned album again: make albums DATA=FOLDER

    Exit codes: 0 done, or stopped; 1 failed, 2 not understood, 3 refused, 4 not reachable, 5 done,
    but the other side lacks blobs too.
    """

  static let verb = Verb("clone", help: help) { arguments, output, signals in
    try run(&arguments, output, signals)
  }

  private static func run(
    _ arguments: inout Arguments, _ output: Output, _ signals: StopSignals
  ) throws {
    let once = arguments.take("--once")
    let words = try arguments.rest(1...2, or: "Say what to clone and where to.")
    let folder = words[words.count - 1]
    let link = words.count == 2 ? try link(words[0], signals) : nil
    do {
      let (replica, membership) = try CloneFolder(path: folder).open(by: link, signals)
      do {
        try keepLive(replica, membership, once: once, output, signals)
      } catch {
        // What failed first is told.
        try? replica.close()
        throw error
      }
      try replica.close()
    } catch is Stopped {
      // Nothing was begun.
    } catch let error as JoinError {
      let code: Int32 = error.code == .unreachable ? 4 : error.code == .badLink ? 2 : 3
      throw CommandFailure(code, error.description)
    }
  }

  /// A link as it was given, or the one in a picture of its QR code.
  private static func link(_ word: String, _ signals: StopSignals) throws -> String {
    guard !word.contains("#"), FileManager.default.fileExists(atPath: word) else { return word }
    do {
      let codes = try signals.outcome { try await BarcodeReader().read(word, for: [.qr]) }
      let links = codes.map(\.text).filter { (try? Membership.server(of: $0)) != nil }
      guard let link = links.first else {
        throw CommandFailure(2, "No QR code of an invitation was found in \(word).")
      }
      return link
    } catch let error as ImageError {
      throw CommandFailure(2, "\(word): \(error.description)")
    } catch is Stopped {
      throw CommandFailure(1, "Stopped before the picture was read.")
    }
  }

  private static func keepLive(
    _ replica: Replica, _ membership: Membership, once: Bool, _ output: Output,
    _ signals: StopSignals
  ) throws {
    let connections = try membership.spaceIDs.map { try replica.sync($0, with: membership) }
    defer { for connection in connections { connection.disconnect() } }
    var last = ""
    var collected = Date.distantPast
    while true {
      if !once, Date().timeIntervalSince(collected) > 86_400 {
        collected = Date()
        // What cannot be collected now is tomorrow.
        _ = try? replica.store.blobs.collect()
      }
      let progress = try CloneProgress(replica, membership.spaceIDs, connections, once: once)
      if progress.sentence != last {
        output.say(progress.fields, progress.sentence)
        last = progress.sentence
      }
      if let reason = progress.blocked { throw CommandFailure(3, reason) }
      if once, progress.isComplete {
        guard progress.missing == 0 else { throw CommandFailure(5, progress.gap) }
        return
      }
      if signals.wait(milliseconds: 200) { return }
    }
  }
}
