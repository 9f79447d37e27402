import Dispatch
public import Reunion
import Synchronization
public import WordsCore

/// Begins and ends the rounds of all groups of a server, and says which words count.
///
/// What players enter is in spaces of their own. The umpire sees it before the server accepts it (`rule`),
/// and once it is on the disk it counts it into the score that everybody in the group sees. All times are
/// the server's. A server that was killed goes on with the rounds that it finds.
///
/// *Thread*: any; what it writes, it writes on a queue of its own. *Durability*: a score tells of words that
/// are on the disk.
public final class Umpire: Sendable {
  struct State {
    var running: [RecordID: RunningRound] = [:]
    /// The time of day at a moment, of which the time counts on.
    var base: (wall: Int64, moment: Moment)?
    var watching: SignalSubscription?
    var alarm: Countdown?
  }

  /// What a server's store holds for it.
  public static let model = Model.words

  let store: Store
  /// Lists of words by their names, the usual first.
  let lists: [(name: String, lexicon: Lexicon)]
  let state = Mutex(State())
  /// How long a round lasts, in milliseconds.
  let play: Int64
  private let clock: any FlowClock
  let queue = DispatchQueue(label: "words.umpire")
  private let tell: @Sendable (String) -> Void

  /// An umpire over a server's store, with at least one list, whose rounds last `play`
  /// milliseconds. It does nothing until `start`.
  public init(
    of store: Store, lists: [(name: String, lexicon: Lexicon)], play: Int64 = 90_000,
    clock: any FlowClock = .system, tell: @escaping @Sendable (String) -> Void
  ) {
    self.store = store
    (self.lists, self.play) = (lists, play)
    self.clock = clock
    self.tell = tell
  }

  /// The server's time in milliseconds since 1970. While a round runs, no setting of the clock changes it.
  public var now: Int64 {
    state.withLock { state in
      let moment = clock.now
      guard let base = state.base, !state.running.isEmpty else {
        let wall = Int64(clamping: clock.wallMilliseconds)
        state.base = (wall, moment)
        return wall
      }
      let passed = base.moment.duration(to: moment).components
      return base.wall + passed.seconds * 1000 + passed.attoseconds / 1_000_000_000_000_000
    }
  }

  /// How long to wait before what failed is tried again, in milliseconds.
  private static let pause: Int64 = 1000

  /// The names of the lists, the usual first.
  public var listNames: [String] { lists.map(\.name) }

  /// Takes up the rounds that are not over, and begins new ones from now on.
  ///
  /// - Throws: `StoreError`.
  public func start() throws {
    try takeUp()
    let watching = store.observeCommits { [weak self] commit in self?.hear(commit) }
    state.withLock { $0.watching = watching }
    queue.async { [self] in
      attempt { for space in try store.spaces { try consider(recentGames(in: space), in: space) } }
      look()
    }
  }

  /// Does nothing any more; what it has begun is on the disk when this returns.
  public func stop() {
    state.withLock { ($0.watching, $0.alarm) = (nil, nil) }
    queue.sync {}
  }

  private func hear(_ commit: Commit) {
    let entities = commit.entities
    if entities.contains(Entry.schema.number) {
      queue.async { [self] in attempt { try count(commit.changed(Entry.self), in: commit.space) } }
    }
    guard entities.contains(Seat.schema.number) || entities.contains(Game.schema.number) else {
      return
    }
    queue.async { [self] in
      attempt { try consider(games(of: commit), in: commit.space) }
      look()
    }
  }

  /// Does something; false where it failed, which is told.
  @discardableResult private func attempt(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return true
    } catch {
      tell("The umpire could not go on: \(error)")
      return false
    }
  }

  /// The games that a commit is about; all recent ones where somebody left.
  private func games(of commit: Commit) throws -> [RecordID] {
    guard let seats = commit.changed(Seat.self), let games = commit.changed(Game.self) else {
      return try recentGames(in: commit.space)
    }
    let sat = try seats.map { try store.fetch(Seat.self, $0, in: commit.space)?.game?.id }
    guard !sat.contains(nil) else { return try recentGames(in: commit.space) }
    return Array(Set(games + sat.compactMap(\.self)))
  }

  /// What time asks for: the bot's words, and the end of rounds. A round that fails holds back no
  /// other.
  private func look() {
    let now = now
    var failed: Set<RecordID> = []
    for round in state.withLock({ Array($0.running.values) }) {
      let isDone = attempt {
        if round.mayClose(at: now) {
          try close(round.id)
          try consider([round.game], in: round.space)
        }
        try countBot(in: round.id, by: now)
      }
      if !isDone { failed.insert(round.id) }
    }
    let next = state.withLock {
      $0.running.values.map {
        failed.contains($0.id) ? now + Self.pause : $0.nextMoment(after: now)
      }.min()
    }
    let alarm = next.map { next in
      // Time has passed over what was done.
      Countdown(after: .milliseconds(max(next - self.now, 1)), clock: clock) { [weak self] in
        self?.wake()
      }
    }
    state.withLock { $0.alarm = alarm }
  }

  private func wake() { queue.async { [weak self] in self?.look() } }
}
