import Foundation
import Reunion
import ReunionServer

extension AlbumFolder {
  /// Ends the links and puts out the devices that the host named at the start.
  func changeAccess(_ options: Options) throws {
    if options.makesOwnerLink { try access.revokeInvitations(.admin) }
    if options.makesGuestLink { try access.revokeInvitations(.add) }
    for device in options.removed where try !access.remove(device: device) {
      throw Failure(
        "The device \(Access.text(of: device)) is not in the album. See --people for those that are."
      )
    }
  }

  /// The people of the album in a folder, in which nothing is made.
  static func people(in path: String) throws -> String {
    guard FileManager.default.fileExists(atPath: "\(path)/store.sqlite") else {
      throw Failure("There is no album in \(path). Name its folder with --data.")
    }
    return try AlbumFolder(path, name: nil).people()
  }

  /// The devices that have joined, a line each: device, role, when, and the name that it gave.
  func people() throws -> String {
    var names: [UInt64: String] = [:]
    for guest in try store.fetch(Query<Guest>(in: space)) {
      if let device = try store.creator(of: Guest.self, guest.id, in: space) {
        names[device] = guest.name
      }
    }
    let lines = access.devices().map { device in
      let role = device.isReplica ? "clone" : device.role == .admin ? "owner" : "guest"
      // A name is a guest's own words: no line of them may look like another device's.
      let name = names[device.number].map { $0.filter { $0.isLetter || $0.isNumber || $0 == " " } }
      let joined = device.joined.formatted(.iso8601)
      return "\(Access.text(of: device.number))  \(role)  \(joined)  \(name ?? "")"
    }
    return lines.isEmpty ? "Nobody has joined yet." : lines.joined(separator: "\n")
  }
}
