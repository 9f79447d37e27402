import Foundation
import Reunion
import ReunionMedia

/// `reunion clone`: a full replica of what a link opens, every record and every blob.
///
/// It knows no model: unknown entities and their blobs are kept as they are.
enum CloneCommand {
  static let help = """
    Usage: reunion clone LINK FOLDER [--once] [--json]

    Makes a full replica in FOLDER of everything that an owner's link opens, byte for byte, and
    keeps it live until it is stopped with Ctrl-C. Called again on the same folder it goes on where
    it was; the link may then be left out, or be a new one where the album has moved. LINK may also
    be a picture of the link's QR code, such as a screenshot.

      --once   stop as soon as everything is here; exit code 5 where the other side lacks blobs
               as well, such as photos that are still on a phone: call it again later
      --json   a JSON object a line: {"records", "blobs", "missing", "state"}

    To serve a cloned album again: make albums DATA=FOLDER
    """

  static func run(
    _ arguments: [String], _ output: Output, _ wantsHelp: Bool, _ signals: StopSignals
  ) throws {
    if wantsHelp {
      print(help)
      return
    }
    var words = arguments
    let once = words.contains("--once")
    words.removeAll { $0 == "--once" }
    if let option = words.first(where: { $0.hasPrefix("-") }) {
      throw CommandFailure(2, "\(option) is not an option of clone. See reunion clone --help.")
    }
    guard let folder = words.last, words.count <= 2 else {
      throw CommandFailure(2, "Say what to clone and where to.\n\n\(help)")
    }
    let link = words.count == 2 ? try link(words[0], signals) : nil
    do {
      let (replica, membership) = try CloneFolder(path: folder).open(by: link, signals)
      defer { replica.close() }
      try keepLive(replica, membership, once: once, output, signals)
    } catch is Stopped {
      // Nothing was begun.
    } catch let error as StoreError {
      throw CommandFailure(1, "\(error)")
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
        throw CommandFailure(2, "No QR code of an album's link was found in \(word).")
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
