import Foundation
import ReunionCore
import ReunionDisk
import ReunionStore

/// The person of a device, as its folder knows them: `person.json`, for its owner alone.
struct PersonFile {
  /// What is kept.
  struct Kept: Codable {
    /// The person: sixteen random bytes, as hexadecimal digits.
    var person: String
    /// The names of the own spaces that this device has asked for.
    var names: [String]
    /// The key by which a pairing link may be taken again, and the hash of that link.
    var pairing: Pairing?

    struct Pairing: Codable {
      let link: String
      let key: String
    }

    /// Somebody new.
    static var stranger: Kept {
      Kept(person: Hexadecimal.text(SpaceID.random().bytes), names: [], pairing: nil)
    }

    /// The space of a name.
    func space(_ name: String) -> SpaceID { .own(of: person, named: name) }

    /// The name of a space that was asked for here; nil for any other.
    func name(of space: SpaceID) -> String? { names.first { self.space($0) == space } }

    /// Whether a space is one that was asked for here.
    func owns(_ space: SpaceID) -> Bool { name(of: space) != nil }
  }

  private let path: String
  private let disk: any Disk

  init(of store: Store) {
    path = store.folder + "/person.json"
    disk = store.options.disk
  }

  /// What is kept; nil if no person was asked for yet.
  func read() throws -> Kept? {
    guard let bytes = try PrivateFile.read(path, on: disk) else { return nil }
    do {
      return try JSONDecoder().decode(Kept.self, from: Data(bytes))
    } catch {
      // Another one would be another person, whose spaces are empty.
      throw StoreError(
        .damaged, "\(path) cannot be understood: put it back from a backup, or remove it and pair.")
    }
  }

  /// Replaces it; it is on the disk when this returns.
  func write(_ kept: Kept) throws {
    try PrivateFile.write([UInt8](JSONEncoder().encode(kept)), to: path, on: disk)
  }
}
