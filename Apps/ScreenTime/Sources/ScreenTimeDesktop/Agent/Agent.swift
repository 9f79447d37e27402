import Dispatch
import Foundation
import Reunion
import ReunionDesktop
import ScreenTimeBook
import ScreenTimeCore

/// Looks at the desktop, keeps what was used, and tells how much is left.
///
/// Unchecked: after its start it is confined to its queue.
final class Agent: @unchecked Sendable {
  private let queue = DispatchQueue(label: "screentime.agent")
  private let clocks = MachineClocks()
  private let screen: XScreen?
  private let book: FamilyBook
  private let keeper: UseKeeper
  private let announcer: Announcer
  private let say: @Sendable (String) -> Void
  private let end: @Sendable (Failure) -> Void
  private var tracker: Tracker
  private var login = LoginSession.State()
  private var zone: FamilyZone?
  private var session: LoginSession?
  private var watching: (any DispatchSourceRead)?
  private let timer: any DispatchSourceTimer
  private var changes: [SignalSubscription] = []
  private var isLookPlanned = false
  private var isPresent = true
  private var said = ""

  /// Begins to look at a screen, or without one at what the login service says.
  ///
  /// - Throws: `StoreError`.
  init(
    _ book: FamilyBook, screen: XScreen?, options: Options,
    say: @escaping @Sendable (String) -> Void, end: @escaping @Sendable (Failure) -> Void
  ) throws {
    (self.book, self.screen, self.say, self.end) = (book, screen, say, end)
    let device = try PrivateFile.device(in: options.folder)
    keeper = try UseKeeper(
      book, device: device, name: options.name,
      sees: screen == nil ? "presence" : "programs")
    announcer = Announcer(book, device: device, queue: queue, atNone: options.atNone, say: say)
    tracker = Tracker(
      pace: Tracker.Pace(idleAfter: options.awayAfter * 1000), next: try keeper.next())
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.setEventHandler { [weak self] in self?.look() }
    timer.schedule(deadline: .now())
    changes = try book.observeLimits { [weak self] in
      // Decides anew when parents did.
      guard let self else { return }
      queue.async { self.plan() }
    }
    queue.async { [self] in
      begin()
      timer.resume()
    }
  }

  private func begin() {
    listen()
    guard let screen else { return }
    let watching = DispatchSource.makeReadSource(
      fileDescriptor: screen.descriptor, queue: queue)
    watching.setEventHandler { [weak self] in
      guard let self else { return }
      switch screen.drain() {
      case nil: lose()
      case true?: plan()
      case false?: break
      }
    }
    watching.resume()
    self.watching = watching
  }

  /// Hears of sleep and locks; if the login service is silent, it asks again in half a minute.
  private func listen() {
    do {
      session = try LoginSession(queue: queue) { [weak self] event in
        guard let self else { return }
        switch event {
        case .state(let state): login = state
        case .willSleep, .didWake: break
        case .lost:
          tell("The login service does not answer: locks and sleep are not heard of now.")
          return listenLater()
        }
        look()
      }
    } catch {
      tell("\(error)")
      listenLater()
    }
  }

  private func listenLater() {
    login = LoginSession.State()
    queue.asyncAfter(deadline: .now() + .seconds(30)) { [weak self] in self?.listen() }
  }

  /// Looks soon: what moves the focus often moves it again.
  private func plan() {
    guard !isLookPlanned else { return }
    isLookPlanned = true
    queue.asyncAfter(deadline: .now() + .milliseconds(200)) { [weak self] in self?.look() }
  }

  private func beat() -> Beat? {
    let isLocked = login.isLocked || !login.isActive
    // Where it cannot be read just now, it is as it was.
    if let name = try? book.zone() { zone = FamilyZone(name) }
    guard let screen else {
      let idle = login.isIdle ? tracker.pace.idleAfter : 0
      return clocks.beat(program: "", idle: idle, isLocked: isLocked, in: zone)
    }
    // An answer may bring events along, for which the descriptor wakes nobody.
    guard let seen = screen.look(), screen.drain() != nil else { return nil }
    return clocks.beat(program: seen.program, idle: seen.idle, isLocked: isLocked, in: zone)
  }

  private func look() {
    isLookPlanned = false
    guard watching != nil || screen == nil else { return }
    guard let beat = beat() else { return lose() }
    keep(tracker.take(beat), beat)
    isPresent = !beat.isLocked && beat.idle < tracker.pace.idleAfter
    var wait = tracker.pace.heartbeat - 1000
    if isPresent {
      wait = min(wait, max(tracker.pace.idleAfter - beat.idle, 1))
    } else if screen != nil {
      // A person who comes back is seen within two seconds.
      wait = 2000
    }
    do {
      if let left = try announcer.decide(beat, isPresent: isPresent) {
        wait = min(wait, max(left, 500))
      }
    } catch {
      tell("\(error)")
    }
    timer.schedule(deadline: .now() + .milliseconds(Int(wait)), leeway: .milliseconds(20))
  }

  private func keep(_ uses: [Use], _ beat: Beat) {
    do {
      let own = MachineClocks.offset
      let isElsewhere = zone != nil && own != beat.offset
      if try keeper.keep(uses, at: beat.wall, ownOffset: isElsewhere ? own : nil) {
        tracker.dropOpenUse()
      }
    } catch {
      tell("\(error)")
    }
  }

  /// The display is gone: the use ends where it was last seen.
  private func lose() {
    guard watching != nil else { return }
    close(clocks.beat(program: "", idle: 0, isLocked: true, in: zone))
    end(Failure("The display is gone. The agent starts again with the next one."))
  }

  /// Ends, after a last look.
  func stop() {
    queue.sync {
      guard let beat = beat() else { return }
      close(beat)
    }
  }

  private func close(_ beat: Beat) {
    watching?.cancel()
    watching = nil
    timer.cancel()
    changes = []
    session = nil
    keep(tracker.stop(beat), beat)
  }

  /// Says a sentence, if it is another than the last one.
  private func tell(_ sentence: String) {
    guard sentence != said else { return }
    said = sentence
    say(sentence)
  }
}
