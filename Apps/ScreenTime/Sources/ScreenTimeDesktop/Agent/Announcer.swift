import Dispatch
import Glibc
import Reunion
import ReunionDesktop
import ScreenTimeBook
import ScreenTimeCore

/// Tells the person at the device how much is left, and runs what was chosen on this device at
/// none.
///
/// Unchecked: it is confined to the agent's queue.
final class Announcer: @unchecked Sendable {
  private let book: FamilyBook
  private let device: RecordID
  private let queue: DispatchQueue
  private let atNone: String?
  private let say: @Sendable (String) -> Void
  private var warner = Warner()
  private var notices: DesktopNotices?

  init(
    _ book: FamilyBook, device: RecordID, queue: DispatchQueue, atNone: String?,
    say: @escaping @Sendable (String) -> Void
  ) {
    (self.book, self.device, self.queue, self.atNone, self.say) = (book, device, queue, atNone, say)
  }

  /// Decides for a heartbeat, and tells; gives the milliseconds after which to decide again at the
  /// latest.
  ///
  /// - Throws: `StoreError`.
  func decide(_ beat: Beat, isPresent: Bool) throws -> Int64? {
    guard isPresent else {
      _ = warner.take(Verdict(), isPresent: false)
      return nil
    }
    var (wall, ledger) = (beat.wall, try book.ledger(since: beat.wall))
    let skew = ledger.skew(of: "\(device)")
    if skew > 0 {
      // This clock is ahead: what is used counts when it arrives, and so does now.
      wall -= skew
      ledger = try book.ledger(since: wall)
    }
    let verdict = Verdict(
      for: beat.program, wall: wall, offset: beat.offset, limits: try book.agreed(),
      ledger: ledger, grants: try book.grants())
    if let warning = warner.take(verdict, isPresent: true) { try tell(warning, verdict.reason) }
    guard let left = verdict.left, left > 0 else { return nil }
    return left > 300_000 ? left - 300_000 : left
  }

  private func tell(_ warning: Warner.Warning, _ reason: Verdict.Reason?) throws {
    let (what, isRest) = try name(of: reason)
    let heading = warning == .fiveMinutes ? "5 minutes left" : "The time is up"
    let text =
      switch (warning, isRest) {
      case (.fiveMinutes, true): "A time of rest begins in 5 minutes. You may ask for more."
      case (.fiveMinutes, false): "\(what): 5 minutes are left today. You may ask for more."
      case (.none, true): "It is a time of rest. You may ask for more."
      case (.none, false): "\(what): nothing is left today. You may ask for more."
      }
    if notices == nil {
      do { notices = try DesktopNotices(of: "Screen time", queue: queue) } catch { say("\(error)") }
    }
    notices?.show(heading, text, isUrgent: warning == .none) { [self] error in
      guard let error else { return }
      // The next warning connects anew.
      notices = nil
      say("\(error)")
    }
    if warning == .none { runAtNone() }
  }

  private func name(of reason: Verdict.Reason?) throws -> (String, isRest: Bool) {
    switch reason {
    case .rest: return ("", true)
    case .category(let id):
      return (try book.category(id) ?? "This program", false)
    case .day, nil: return ("Screen time", false)
    }
  }

  /// Starts the program, as a shell would: with no signal that the agent ignores.
  private func runAtNone() {
    guard let atNone else { return }
    var words = [strdup(atNone), nil]
    defer { free(words[0]) }
    // Nobody waits for it: the kernel takes its end.
    signal(SIGCHLD, SIG_IGN)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var id: pid_t = 0
    let result = posix_spawn(&id, atNone, nil, &attributes, &words, environ)
    if result != 0 { say("\(atNone) cannot be run: \(String(cString: strerror(result))).") }
  }
}
