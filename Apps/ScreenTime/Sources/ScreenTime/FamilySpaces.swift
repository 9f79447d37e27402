import Dispatch
import Foundation
import Reunion
import ReunionServer
import ScreenTimeBook

/// The spaces of a family: one that says who is followed, and two for each of them.
final class FamilySpaces: Sendable {
  /// The access to the space of the family.
  let access: Access
  let spaces: ServedSpaces
  /// The space of the family.
  let id: SpaceID
  private let queue = DispatchQueue(label: "screentime.upkeep")
  private let kept: Kept

  /// What is confined to the queue.
  private final class Kept: @unchecked Sendable {
    var due: Set<SpaceID> = []
    var commits: SignalSubscription?
    var timer: (any DispatchSourceTimer)?
    /// What the host knows of the clock.
    var told: String?
  }

  /// Opens the spaces in a folder.
  init(folder: String) throws {
    spaces = try ServedSpaces(folder: folder, entities: .family)
    (id, access) = try spaces.open("main")
    kept = Kept()
  }

  var store: Store { spaces.store }
  /// What devices may not do with what was used.
  var rule: TransactionRule { UseRule.rule(in: store) }

  /// The spaces of everybody who is followed.
  func everybody() throws -> [FollowedPerson] { try FollowedPerson.all(in: id, of: store) }

  /// Somebody who is followed; nil if there is no such person.
  func somebody(_ person: String) throws -> FollowedPerson? {
    try everybody().first { "\($0.id)" == person }
  }

  /// Follows somebody more.
  func follow(_ name: String) throws -> RecordID {
    let person = store.newID()
    let use = try spaces.open("use \(person)").space
    let limits = try spaces.open("limits \(person)").space
    try FollowedPerson.begin(person, name, use: use, limits: limits, in: id, of: store)
    return person
  }

  /// The access to what somebody used, and to that one's limits.
  func accesses(to person: FollowedPerson) throws -> (use: Access, limits: Access) {
    (
      try spaces.open("use \(person.id)").access,
      try spaces.open("limits \(person.id)").access
    )
  }

  /// Deletes what somebody used, for good.
  func eraseHistory(of person: FollowedPerson) throws { try person.upkeep(store).erase() }

  /// Ends following somebody: all of it goes for good, and the devices open nothing more.
  func end(_ person: FollowedPerson) throws {
    // Before the devices are put out, so that those that are here hear of it.
    try person.upkeep(store).eraseAll()
    let accesses = try accesses(to: person)
    for access in [accesses.use, accesses.limits] {
      for role in [Role.add, .view] { try access.revokeInvitations(role) }
      // Parents' and guests' pages hear that everything is gone.
      let family = Set(self.access.devices().map(\.number))
      for device in access.devices() where !family.contains(device.number) {
        try access.remove(device: device.number)
      }
    }
    // And what they sent meanwhile.
    try person.upkeep(store).eraseAll()
    try person.end(in: id, of: store)
  }

  /// Begins to note when records come whose clocks are ahead, and each hour deletes what is old.
  func startUpkeep() {
    let commits = store.observeCommits { [weak self] commit in
      guard let self, Upkeep.isDue(commit) else { return }
      queue.async { self.plan(commit.space) }
    }
    queue.async { [self] in
      kept.commits = commits
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.setEventHandler { [weak self] in self?.forget() }
      timer.schedule(deadline: .now(), repeating: .seconds(3600))
      timer.resume()
      kept.timer = timer
    }
  }

  /// Ends it; what is under way is done when this returns.
  func stopUpkeep() {
    queue.sync {
      kept.commits = nil
      kept.timer?.cancel()
      kept.timer = nil
    }
  }

  /// Many commits in a row are looked at once.
  private func plan(_ space: SpaceID) {
    kept.due.insert(space)
    guard kept.due.count == 1 else { return }
    queue.async { [self] in
      let due = kept.due
      kept.due = []
      guard kept.timer != nil else { return }
      upkeep { person in
        guard due.contains(person.use) || due.contains(person.limits) else { return }
        let now = self.store.options.wallMilliseconds()
        try person.upkeep(self.store).noteArrivals(by: self.store.lastTime(at: now))
      }
    }
  }

  private func forget() {
    do {
      let time = try store.settleTime()
      if let notice = time.notice, kept.told != notice { tell(notice) }
      kept.told = time.notice
      upkeep { try $0.upkeep(self.store).forget(by: time) }
    } catch {
      tell("\(error)")
    }
  }

  private func upkeep(_ body: (FollowedPerson) throws -> Void) {
    do {
      for person in try everybody() { try body(person) }
    } catch {
      tell("\(error)")
    }
  }

  private func tell(_ sentence: String) {
    FileHandle.standardError.write(Data("screentime: \(sentence)\n".utf8))
  }
}
