import Foundation
import Reunion
import ReunionCommandLine

/// The folder of a clone: a replica, and the membership by which it is kept live.
struct CloneFolder {
  let path: String

  /// Opens the folder's replica, and joins by the link if it has no membership that stands.
  ///
  /// Where this fails there is no new store, and an old one is as it was.
  func open(by link: String?, _ signals: StopSignals) throws -> (Replica, Membership) {
    try Store.requireOwnFolder(path)
    // A store that cannot be opened is told before anybody is asked.
    let old = hasStore ? try Replica(folder: path) : nil
    do {
      let kept = kept
      let membership = try membership(by: link, kept, signals)
      guard try isOf(membership, kept, old?.store) else {
        throw CommandFailure(
          3, "\(path) is a replica of another space than this link opens. Choose another folder.")
      }
      let replica = try old ?? Replica(folder: path)
      if membership.token != kept?.token { try keep(membership) }
      return (replica, membership)
    } catch {
      // What failed first is told.
      try? old?.close()
      throw error
    }
  }

  private var hasStore: Bool {
    FileManager.default.fileExists(atPath: "\(path)/store.sqlite")
  }

  private var file: URL { URL(filePath: path).appending(path: "membership.json") }

  private var kept: Membership? {
    try? JSONDecoder().decode(Membership.self, from: Data(contentsOf: file))
  }

  private func keep(_ membership: Membership) throws {
    do {
      try PrivateFile.write([UInt8](JSONEncoder().encode(membership)), to: file.path)
    } catch {
      throw CommandFailure(
        1,
        "\(file.path) could not be written: make room on the disk, or let this account write there."
      )
    }
  }

  /// The membership that the folder has, or a new one by the link.
  private func membership(
    by link: String?, _ kept: Membership?, _ signals: StopSignals
  ) throws -> Membership {
    guard let link else {
      guard let kept else {
        throw CommandFailure(2, "\(path) is not a clone yet. Give the owner's link as well.")
      }
      return kept
    }
    if let kept, try Membership.server(of: link) == kept.server,
      // Whoever cannot be reached now may be later: the membership is good until it is refused.
      try signals.outcome(of: { (try? await kept.isKnown()) ?? true })
    {
      return kept
    }
    let joined = try signals.outcome { try await Membership.join(link: link) }
    guard joined.spaces.count > 1 else {
      throw CommandFailure(
        3, "This is a guests' link. A clone needs the owner's link, which the server printed.")
    }
    return joined
  }

  private func isOf(_ membership: Membership, _ kept: Membership?, _ store: Store?) throws -> Bool {
    if let kept { return Set(kept.spaceIDs) == Set(membership.spaceIDs) }
    let held = try store?.spaces ?? []
    return held.isEmpty || !Set(held).isDisjoint(with: membership.spaceIDs)
  }
}
