import Foundation
import ReunionCore
import ReunionDisk
import ReunionStore

/// The memberships that are kept beside a store, a file a space, for their owner alone.
struct MembershipFolder {
  /// What is kept: which link was taken, and what it gave.
  struct Kept: Codable {
    /// The SHA-256 of the link, which itself is kept nowhere; empty where there was none.
    let link: String
    let membership: Membership
  }

  let folder: String
  let disk: any Disk

  init(of store: Store) {
    folder = store.folder
    disk = store.options.disk
  }

  /// What was kept for a space, or for all; what cannot be understood is left out.
  func all(of space: SpaceID? = nil) throws -> [Kept] {
    let names = try space.map { [Self.name(of: $0)] } ?? disk.names(in: folder).sorted()
    return try names.compactMap { name in
      guard name.hasPrefix("membership."), name.hasSuffix(".json"),
        let bytes = try PrivateFile.read("\(folder)/\(name)", on: disk)
      else { return nil }
      return try? JSONDecoder().decode(Kept.self, from: Data(bytes))
    }
  }

  /// Keeps one; it is on the disk when this returns.
  func keep(_ kept: Kept, for space: SpaceID) throws {
    let bytes = [UInt8](try JSONEncoder().encode(kept))
    try PrivateFile.write(bytes, to: path(of: space), on: disk)
  }

  /// Forgets one.
  func forget(_ space: SpaceID) throws { try disk.remove(path(of: space)) }

  private static func name(of space: SpaceID) -> String { "membership.\(space).json" }

  private func path(of space: SpaceID) -> String { "\(folder)/\(Self.name(of: space))" }
}
