package import Foundation
import Glibc

/// An owner's link that a command leaves in a server's folder, for a host who has lost every other.
///
/// It is an empty file, `owner-link.` and the SHA-256 of the link's secret; the server looks for it when
/// somebody brings a secret that it does not know, and makes an invitation of it. So it works whether the
/// server runs or not, and whoever may write in the folder is the host.
package enum OwnerLinkFile {
  /// How long such a link opens.
  package static let secondsMax = 86_400.0

  private static func path(_ hash: [UInt8], in folder: String) -> String {
    "\(folder)/owner-link.\(hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())"
  }

  /// Leaves a link, and returns its secret; nil where nothing can be written.
  package static func leave(in folder: String) -> String? {
    let secret = Secret.make(byteCount: 32)
    let path = path(Secret.hash(secret), in: folder)
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return nil }
    defer { close(file) }
    // An administrator may leave it for the account that serves.
    var about = stat()
    if stat(folder, &about) == 0 { _ = fchown(file, about.st_uid, about.st_gid) }
    guard fsync(file) == 0 else { return nil }
    return secret
  }

  /// Until when the link with that hash opens; nil where none was left.
  package static func expiry(of hash: [UInt8], in folder: String) -> Date? {
    var about = stat()
    guard lstat(path(hash, in: folder), &about) == 0, about.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return Date(timeIntervalSince1970: Double(about.st_mtim.tv_sec) + secondsMax)
  }

  /// Takes all links away: they are withdrawn.
  package static func removeAll(in folder: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where name.hasPrefix("owner-link.") {
      unlink("\(folder)/\(name)")
    }
  }

  /// Takes a link away, once it is an invitation.
  package static func remove(_ hash: [UInt8], in folder: String) {
    unlink(path(hash, in: folder))
  }
}
