package import Foundation
import ReunionCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An invitation that a command leaves in a server's folder, whether the server runs or not.
///
/// It is a file named `invitation.` and the SHA-256 of the link's secret. The server looks for it when
/// somebody brings a secret that it does not know, and makes an invitation of it. So there is no door of
/// its own for it: whoever may write in the folder is the host.
package struct InvitationFile: Codable, Sendable, Hashable {
  /// The name of the space; nil for the server's first, or its only one.
  package var space: String?
  /// What it lets somebody do, by its name.
  package var role: String
  /// The time until which it opens, in seconds since 1970; nil if it has no end.
  package var expires: Double?
  /// How many devices may join by it; nil for any number.
  package var uses: Int64?

  /// For how long an owner's link opens.
  package static let ownerSeconds = 86_400.0

  private static let prefix = "invitation."

  /// What a link opens.
  package init(space: String? = nil, role: String, expires: Double?, uses: Int64? = nil) {
    self.space = space
    self.role = role
    self.expires = expires
    self.uses = uses
  }

  /// The owner's link of a server's first space, from now on.
  package static func owner(now: Date = Date()) -> InvitationFile {
    InvitationFile(role: "admin", expires: now.timeIntervalSince1970 + ownerSeconds)
  }

  private static func path(_ hash: [UInt8], in folder: String) -> String {
    "\(folder)/\(prefix)\(hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())"
  }

  /// Leaves it in a folder, and returns the secret of its link; nil where nothing can be written. It is on
  /// the disk when this returns.
  package func leave(in folder: String) -> String? {
    guard let text = try? JSONEncoder().encode(self) else { return nil }
    let secret = Secret.make(byteCount: 32)
    let path = Self.path(Secret.hash(secret), in: folder)
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return nil }
    defer { close(file) }
    // An administrator may leave it for the account that serves.
    var about = stat()
    if stat(folder, &about) == 0 { _ = fchown(file, about.st_uid, about.st_gid) }
    guard text.withUnsafeBytes({ write(file, $0.baseAddress, $0.count) }) == text.count,
      fsync(file) == 0
    else {
      unlink(path)
      return nil
    }
    return secret
  }

  /// The invitation whose secret has that hash; nil if none was left.
  package static func read(_ hash: [UInt8], in folder: String) -> InvitationFile? {
    let path = path(hash, in: folder)
    var about = stat()
    guard lstat(path, &about) == 0, about.st_mode & S_IFMT == S_IFREG, about.st_size <= 4096,
      let text = FileManager.default.contents(atPath: path)
    else { return nil }
    return try? JSONDecoder().decode(InvitationFile.self, from: text)
  }

  /// Takes away those that were left: they are withdrawn.
  package static func removeAll(in folder: String, where isMeant: (InvitationFile) -> Bool) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where name.hasPrefix(prefix) {
      let path = "\(folder)/\(name)"
      guard let text = FileManager.default.contents(atPath: path),
        let left = try? JSONDecoder().decode(InvitationFile.self, from: text), isMeant(left)
      else { continue }
      unlink(path)
    }
  }

  /// Takes it away, once it is an invitation of the server's.
  package static func remove(_ hash: [UInt8], in folder: String) {
    unlink(path(hash, in: folder))
  }
}
