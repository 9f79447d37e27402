import Foundation
import Reunion
import ReunionCommandLine

/// `reunion owner-link`: a way back in for a host who has lost every owner's link.
enum OwnerLinkCommand {
  private static let help = """
    Usage: reunion owner-link FOLDER [--at ADDRESS] [--json]

    Makes an owner's link for the server in FOLDER, and prints it. A running server accepts it at
    once. The link works for a day, on any number of devices: anyone who has it can change and
    delete everything. Earlier links keep working.

    ADDRESS is where people reach the server, such as https://album.example. Without it the link has
    the address that the server had when it was started last.

    Exit codes: 0 made, 1 failed, 2 not understood.
    """

  static let verb = Verb("owner-link", help: help) { arguments, output, _ in
    let given = try arguments.value(of: "--at").map(checked)
    let folder = try arguments.rest(1...1, or: "Say which folder.")[0]
    let link = try leave(.owner(), in: folder, given)
    output.say(["url": link, "hours": Int(InvitationFile.ownerSeconds / 3600)], link)
  }

  /// Leaves an invitation in a server's folder: its link.
  static func leave(
    _ invitation: InvitationFile, in folder: String, _ given: String?
  ) throws(CommandFailure) -> String {
    guard FileManager.default.fileExists(atPath: "\(folder)/store.sqlite") else {
      throw CommandFailure(
        1, "There is no server's data in \(folder). Name its folder, as --data did.")
    }
    guard let address = given ?? ServerAddressFile.read(in: folder) else {
      throw CommandFailure(
        1, "No server was started on \(folder) yet. Start it, or name its address with --at.")
    }
    guard let secret = invitation.leave(in: folder) else {
      throw CommandFailure(
        1, "This account cannot write in \(folder). Run this as the server's account.")
    }
    return "\(address)/#join=\(secret)"
  }

  static func checked(_ text: String) throws -> String {
    guard let url = URLComponents(string: text), ["http", "https"].contains(url.scheme),
      url.host?.isEmpty == false, ["", "/"].contains(url.path), url.query == nil,
      url.fragment == nil
    else {
      throw Misunderstood("--at takes an address such as https://album.example, not \(text).")
    }
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }
}
