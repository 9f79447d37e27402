public import FoundationEssentials
import Glibc
import ReunionFlow

/// What happened at the door, one line for each event: who came in, who was refused, removed or
/// limited.
///
/// ```swift
/// let options = ServerOptions([], folder: "./data")
/// var configuration = try options.configuration()    // it has one already, in the folder
/// configuration.log = SecurityLog(path: "/var/log/notes/security.log")
/// ```
///
/// `2026-11-22T18:04:05Z joined device=0123456789abcdef role=add network=192.168.1.7`. A value
/// holds only letters, digits and `.:-_`, so that nobody's words can forge a line or a field; there
/// are no names, no links and no tokens. *Thread*: any. *Durability*: in the file when the call
/// returns, not fsynced; a full disk loses lines, but refuses nobody. One earlier file is kept
/// beside `FILE`, as `FILE.1`.
public final class SecurityLog: Sendable {
  /// What happened.
  public enum Event: String, Sendable, CaseIterable {
    /// A device joined.
    case joined
    /// A device opened a space of its person's own.
    case opened
    /// A device asked for a link that makes another device its person's.
    case offered
    /// A device became a person's by such a link.
    case paired
    /// Somebody was told no.
    case refused
    /// The host removed a device.
    case putOut = "put-out"
    /// A device ended its membership.
    case left
    /// The guests' or the owner's links were replaced.
    case replaced
    /// The host deleted a record for good.
    case erased
    /// Too many came.
    case limited
    /// Something on the disk is not as it was written.
    case damaged
  }

  /// The size at which a file is put aside for a new one.
  static let bytesMax = 1 << 20
  /// The most refusals a minute from one network: a flood is in the log, and does not fill it.
  static let linesPerMinute = 60
  /// The most lines a minute of what people from one network did who are known: a device that joins
  /// and leaves again and again washes nothing away.
  static let actsPerMinute = 120

  private let path: String
  private let now: @Sendable () -> Date
  private struct Limits {
    var refusals = RateLimit(SecurityLog.linesPerMinute, in: 60)
    var acts = RateLimit(SecurityLog.actsPerMinute, in: 60)
  }
  private let limits = Lock(Limits())

  /// Appends to a file, and makes it with the first line, for its owner alone (mode 600).
  ///
  /// At 1 MiB the file is put aside as the earlier one. A file that cannot be opened stops no
  /// server: then there is no log.
  public init(path: String, now: @escaping @Sendable () -> Date = { Date() }) {
    self.path = path
    self.now = now
  }

  /// Notes an event; `network` is the address that it came from, empty for the host's own acts.
  func note(_ event: Event, _ fields: KeyValuePairs<String, String>, from network: String = "") {
    let moment = now()
    var line = "\(moment.formatted(.iso8601)) \(event.rawValue)"
    for (name, value) in fields { line += " \(name)=\(Self.plain(value))" }
    if !network.isEmpty { line += " network=\(Self.plain(RateLimit.network(of: network)))" }
    line += "\n"
    limits.withLock { limits in
      let now = moment.timeIntervalSince1970
      // Strangers make these as often as they like; the others are acts of people who are known, or the
      // host's own.
      if event == .refused || event == .limited {
        guard limits.refusals.allows(network, now: now) else { return }
      } else if !network.isEmpty {
        guard limits.acts.allows(network, now: now) else { return }
      }
      append(Array(line.utf8))
    }
  }

  /// The name of the file in the folder of a server.
  public static let fileName = "security.log"

  /// A value without anything that could end it.
  static func plain(_ value: String) -> String {
    let kept = value.prefix(64).map { character in
      character.isASCII && (character.isLetter || character.isNumber || ".:-_".contains(character))
        ? character : "_"
    }
    return kept.isEmpty ? "-" : String(kept)
  }

  private func append(_ bytes: [UInt8]) {
    var about = stat()
    if stat(path, &about) == 0, Int(about.st_size) + bytes.count > Self.bytesMax {
      rename(path, path + ".1")
    }
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    defer { close(file) }
    // One write, so that a kill leaves whole lines; a disk that is full keeps no part of one.
    let before = fstat(file, &about) == 0 ? about.st_size : 0
    let count = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    if count < bytes.count { ftruncate(file, before) }
  }
}
