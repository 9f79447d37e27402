import Foundation
import Reunion
import ReunionCommandLine
import ReunionMedia

/// `reunion invite`: a link and its QR code, by which somebody joins a space of a server.
enum InviteCommand {
  private static let help = """
    Usage: reunion invite FOLDER --role view|add|edit|admin [--space NAME] [--for TIME]
                          [--uses N] [--at ADDRESS] [--json]

    Makes an invitation to a space of the server in FOLDER, and prints its link and a QR code. A
    running server accepts it at once. A new space is made when somebody joins it; without --space
    the invitation is for the server's first.

      --role view    see everything
      --role add     add records, and change what the same device added
      --role edit    change everything
      --role admin   the same, and invite and remove devices
      --for TIME     how long it works, such as 30m, 12h, 7d, or ever (default 7d; for admin 1d, and
                     no longer)
      --uses N       how many devices may join with it (default any number)
      --at ADDRESS   where people reach the server, such as https://notes.example (default: the
                     address that the server had when it was started last)

    A device that has joined can open another invitation, and then has a role in that space too.

    Exit codes: 0 made, 1 failed, 2 not understood.
    """

  static let verb = Verb("invite", help: help) { arguments, output, _ in
    let role = try arguments.value(of: "--role")
    guard let role, ["view", "add", "edit", "admin"].contains(role) else {
      throw Misunderstood(
        role.map { "--role is view, add, edit or admin, not \($0)." }
          ?? "Say with --role what the invitation is for: view, add, edit or admin.")
    }
    let space = try arguments.value(of: "--space").map(checkedName)
    let seconds = try seconds(try arguments.value(of: "--for"), role: role)
    let uses = try arguments.value(of: "--uses").map { text throws(Misunderstood) in
      guard let uses = Int64(text), uses > 0 else {
        throw Misunderstood("--uses takes a number of devices, not \(text).")
      }
      return uses
    }
    let address = try arguments.value(of: "--at").map(OwnerLinkCommand.checked)
    let folder = try arguments.rest(1...1, or: "Say which folder.")[0]
    let expires = seconds.map { Date().timeIntervalSince1970 + $0 }
    let link = try OwnerLinkCommand.leave(
      InvitationFile(space: space, role: role, expires: expires, uses: uses), in: folder, address)
    var fields: [String: any Sendable] = ["url": link, "role": role]
    fields["space"] = space
    fields["expires"] = expires.map { Int($0) }
    fields["uses"] = uses.map { Int($0) }
    output.say(fields, text(link, role: role, space: space, until: expires))
  }

  private static func text(
    _ link: String, role: String, space: String?, until expires: Double?
  ) -> String {
    let code = try? QRCode.matrix(of: link, errorCorrection: .low)
    let picture = code?.terminal(isatty(STDOUT_FILENO) == 1 ? .colored : .plainOnDark) ?? ""
    let place = space.map { " in \($0)" } ?? ""
    let end = expires.map {
      "until " + Date(timeIntervalSince1970: $0).formatted(.iso8601)
    }
    return picture + "\(link)\nFor \(role)\(place), \(end ?? "for as long as nobody withdraws it")."
  }

  /// A name that is one line and fits in a record.
  private static func checkedName(_ name: String) throws(Misunderstood) -> String {
    guard !name.isEmpty, name.utf8.count <= 256, name.onOneLine == name else {
      throw Misunderstood("--space takes a name of one line, up to 256 bytes.")
    }
    return name
  }

  /// How long it opens; nil for ever.
  static func seconds(_ text: String?, role: String) throws(Misunderstood) -> Double? {
    let day = InvitationFile.ownerSeconds
    guard let text else { return role == "admin" ? day : 7 * day }
    let seconds: Double?
    if text == "ever" {
      seconds = nil
    } else {
      let units = ["m": 60.0, "h": 3600, "d": 86_400]
      guard let unit = text.last.flatMap({ units["\($0)"] }), let count = Int(text.dropLast()),
        (1...100_000).contains(count)
      else {
        throw Misunderstood("--for takes a time such as 30m, 12h, 7d, or ever, not \(text).")
      }
      seconds = Double(count) * unit
    }
    guard role != "admin" || seconds ?? .infinity <= day else {
      throw Misunderstood("An invitation for admin works for a day at most: use --for 1d or less.")
    }
    return seconds
  }
}
