import Foundation
import Reunion

/// `reunion clone`: a full replica of what a link opens, every record and every blob.
///
/// It knows no model: unknown entities and their blobs are kept as they are.
enum CloneCommand {
  static let help = """
    Usage: reunion clone LINK FOLDER [--once] [--json]

    Makes a full replica in FOLDER of everything that an owner's link opens, byte for byte, and
    keeps it live until it is stopped with Ctrl-C. Called again on the same folder it goes on where
    it was; the link may then be left out.

      --once   stop as soon as everything is here; exit code 5 where the other side lacks blobs
               as well, such as photos that are still on a phone: call it again later
      --json   a JSON object a line: {"records", "blobs", "missing", "state"}

    To serve a cloned album again: make albums DATA=FOLDER
    """

  static func run(_ arguments: [String], _ output: Output, _ wantsHelp: Bool) async throws {
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
    let link = words.count == 2 ? words[0] : nil
    try await clone(link, into: folder, once: once, output)
  }

  private static func clone(
    _ link: String?, into folder: String, once: Bool, _ output: Output
  ) async throws {
    // The folder is opened first, so that an invitation is not used up for a folder that is not.
    let replica = try opened(folder)
    defer { replica.close() }
    let membership = try await membership(link, folder)
    let connections = try membership.spaceIDs.map { try replica.sync($0, with: membership) }
    defer { for connection in connections { connection.disconnect() } }
    let signals = StopSignals()
    var last = ""
    while true {
      let progress = try Progress(replica, membership.spaceIDs, connections)
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

  private static func opened(_ folder: String) throws -> Replica {
    do {
      return try Replica(folder: folder)
    } catch {
      throw CommandFailure(1, "\(error)")
    }
  }

  /// The membership that the folder has, or a new one by the link.
  private static func membership(_ link: String?, _ folder: String) async throws -> Membership {
    let file = URL(filePath: folder).appending(path: "membership.json")
    if let kept = try? JSONDecoder().decode(Membership.self, from: Data(contentsOf: file)),
      link == nil || link?.hasPrefix(kept.server) == true
    {
      return kept
    }
    guard let link else {
      throw CommandFailure(2, "\(folder) is not a clone yet. Give the owner's link as well.")
    }
    do {
      let membership = try await Membership.join(link: link)
      guard membership.spaces.count > 1 else {
        throw CommandFailure(
          3, "This is a guests' link. A clone needs the owner's link, which the album printed.")
      }
      try JSONEncoder().encode(membership).write(to: file, options: .atomic)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      return membership
    } catch let error as JoinError {
      let code: Int32 =
        error.code == .unreachable ? 4 : error.code == .badLink ? 2 : 3
      throw CommandFailure(code, error.description)
    }
  }

  /// How far a clone is, as of one look.
  private struct Progress {
    let fields: [String: any Sendable]
    let sentence: String
    let missing: Int
    /// Nothing more can be had just now; blobs may be missing.
    let isComplete: Bool
    let blocked: String?

    /// Why a clone that was to be made once is not whole.
    var gap: String {
      let blobs = missing == 1 ? "1 blob is" : "\(missing) blobs are"
      return "\(blobs) missing: the other side does not hold them either. Call clone again later."
    }

    init(_ replica: Replica, _ spaces: [SpaceID], _ connections: [Connection]) throws {
      let counts = try replica.store.counts()
      missing = try spaces.reduce(0) { try $0 + replica.store.blobs.missing(in: $1).count }
      let states = connections.map(\.state.value)
      let hasCaughtUp = connections.allSatisfy { connection in
        if case .live(let live) = connection.conversation.value { live.hasCaughtUp } else { false }
      }
      blocked =
        states.lazy.compactMap { state in
          if case .blocked(let reason) = state { reason } else { nil }
        }.first
      // What the other side lacks as well, such as a photo that is still on a phone, comes later.
      let lacked = connections.reduce(0) { $0 + $1.lackedBlobCount }
      isComplete = hasCaughtUp && missing <= lacked
      let waiting = states.lazy.compactMap { state in
        if case .waiting(_, _, let reason) = state { reason } else { nil }
      }.first
      let isWhole = isComplete && missing == 0
      let state =
        isWhole ? "live" : isComplete ? "incomplete" : waiting == nil ? "copying" : "waiting"
      fields = [
        "records": counts.records, "blobs": counts.blobs, "missing": missing, "state": state,
      ]
      let held = "\(counts.records) records and \(counts.blobs) blobs are here"
      sentence =
        isWhole
        ? "Complete: \(held). It stays live while this runs."
        : isComplete
          ? "All that can be had is here: \(held), \(missing) missing. They come when they arrive there."
          : waiting.map { "Waiting: \($0) \(held)." } ?? "Copying: \(held), \(missing) to come."
    }
  }
}
