import ReunionCore
import ReunionFlow
import ReunionSync

/// A space's room and the sessions in it: tells everybody every 33 ms what changed, and those who came, or
/// whose links were slow, what there is.
///
/// *Thread*: any; what is sent goes from the queue of the space. *Cost*: an update is encoded once for all
/// who hear the same, and is one message to each.
final class OpenRoom: Sendable {
  /// Somebody who is still to be told all: what is left of it, and what changed since it was looked up.
  private struct Behind {
    /// Nil where it is not looked up yet.
    var rest: [[UInt8]]?
    var missed: [PresenceSpot: PresenceEntry] = [:]
  }

  private struct Guest {
    let session: Session
    let device: UInt64
    var behind: Behind? = Behind()
    /// When it was told all last.
    var caughtUp: Moment?
  }

  private struct State {
    var room = PresenceRoom<ObjectIdentifier>()
    var guests: [ObjectIdentifier: Guest] = [:]
    var due: Countdown?
    var told: Moment?
  }

  /// Between two times at which what changed is told, at which a slow link is looked at, and at which
  /// somebody is told all.
  private static let (pause, slowPause, wholePause) = (
    Duration.milliseconds(33), Duration.milliseconds(200), Duration.seconds(1)
  )

  private let clock: any FlowClock
  private let bugs: SeededBugs
  private let execute: Session.Executor
  private let state = Lock(State())

  init(clock: any FlowClock, bugs: SeededBugs, execute: @escaping Session.Executor) {
    self.clock = clock
    self.bugs = bugs
    self.execute = execute
  }

  /// Takes a session in; one that asks again is told all again.
  func begin(_ session: Session, _ device: UInt64) {
    let key = ObjectIdentifier(session)
    state.withLock { state in
      state.room.come(key, device: device)
      if state.guests[key] == nil {
        state.guests[key] = Guest(session: session, device: device)
      } else {
        state.guests[key]?.behind = Behind()
      }
    }
    stir()
  }

  func take(_ update: PresenceUpdate, from session: Session) {
    let now = clock.now
    state.withLock { $0.room.take(update, from: ObjectIdentifier(session), at: now) }
    stir()
  }

  /// Forgets a session whose link is closed.
  func end(_ session: Session) {
    guard !bugs.presenceOutlivesLink else { return }
    let (key, now) = (ObjectIdentifier(session), clock.now)
    state.withLock { state in
      state.room.leave(key, at: now)
      state.guests[key] = nil
    }
    stir()
  }

  /// Sees to it that what changed goes out, at least 33 ms after what went out last.
  private func stir() {
    let now = clock.now
    state.withLock { state in
      guard state.due == nil else { return }
      let behind = state.guests.values.filter { $0.behind != nil }
      guard state.room.isStirred || !behind.isEmpty else { return }
      let isSoon = state.room.isStirred || behind.contains { $0.caughtUp == nil }
      let pause = isSoon ? Self.pause : Self.slowPause
      let wait = state.told.map { pause - $0.duration(to: now) } ?? .zero
      state.due = Countdown(after: max(wait, .zero), clock: clock) { [weak self] in
        guard let self else { return }
        execute { self.tell() }
      }
    }
  }

  private func tell() {
    let now = clock.now
    let (update, guests) = state.withLock { state in
      (state.due, state.told) = (nil, now)
      return (state.room.tick(at: now), state.guests)
    }
    if let update { tell(update, guests) }
    for (key, guest) in guests where guest.behind != nil { catchUp(key, at: now) }
    stir()
  }

  /// Tells what changed to those who know the rest.
  private func tell(_ update: PresenceUpdate, _ guests: [ObjectIdentifier: Guest]) {
    let speakers = Set(update.entries.map(\.device))
    let toAll = Self.bytes(update)
    var late: [ObjectIdentifier] = []
    for (key, guest) in guests where guest.behind == nil {
      let own =
        speakers.contains(guest.device) ? Self.bytes(update.leavingOut(guest.device)) : toAll
      if !own.isEmpty, !guest.session.show(own) { late.append(key) }
    }
    state.withLock { state in
      for key in late { state.guests[key]?.behind = Behind() }
      for (key, guest) in state.guests where guest.behind?.rest != nil {
        for entry in update.entries where !entry.isMessage && entry.device != guest.device {
          state.guests[key]?.behind?.missed[PresenceSpot(entry)] = entry
        }
      }
    }
  }

  /// Tells somebody all, as far as their link has room, at most once a second; then what changed meanwhile.
  private func catchUp(_ key: ObjectIdentifier, at now: Moment) {
    guard let session = state.withLock({ $0.guests[key]?.session }), session.hasRoomToShow else {
      return
    }
    let rest: [[UInt8]]? = state.withLock { state in
      guard var guest = state.guests[key], guest.behind != nil else { return nil }
      if guest.behind?.rest == nil {
        if let last = guest.caughtUp, last.duration(to: now) < Self.wholePause { return nil }
        guest.caughtUp = now
        guest.behind?.rest = Self.bytes(state.room.whole(for: guest.device))
      }
      state.guests[key] = guest
      return guest.behind?.rest
    }
    guard let rest else { return }
    let sentCount = rest.prefix { session.show([$0]) }.count
    state.withLock { state in
      guard var behind = state.guests[key]?.behind, behind.rest != nil else { return }
      behind.rest?.removeFirst(sentCount)
      if behind.rest?.isEmpty == true {
        let missed = PresenceUpdate(Array(behind.missed.values)).endsFirst
        behind = Behind(rest: Self.bytes(missed))
      }
      state.guests[key]?.behind = behind.rest?.isEmpty == true ? nil : behind
    }
  }

  private static func bytes(_ update: PresenceUpdate) -> [[UInt8]] {
    update.entries.isEmpty && !update.isWhole ? [] : update.messages.map { $0.encoded() }
  }
}

extension PresenceUpdate {
  /// What of it another than the device shows.
  fileprivate func leavingOut(_ device: UInt64) -> PresenceUpdate {
    PresenceUpdate(entries.filter { $0.device != device }, isWhole: isWhole)
  }
}
