import ReunionCore
import ReunionDisk

/// Up to where the past of a space is closed here: at or below an arrival, what was deleted is gone without a trace.
///
/// Whoever may lack such a delete must not go on by what it holds: it takes all anew (docs/protocol.md 2.25). It
/// stands in the store, and goes back with it.
struct Horizon: Equatable {
  /// What stood here at one time: all that had arrived `here` stood at a peer at its arrival `there`.
  struct Mark: Equatable {
    var peer: Site
    var there: UInt64
    var here: UInt64
    /// When, in seconds since 1970.
    var seconds: UInt64
  }

  /// The arrival; 0 where nothing is gone.
  var arrival: UInt64 = 0
  /// The arrival up to which deleted records go, and that up to which they have gone.
  var (due, swept): (UInt64, UInt64) = (0, 0)
  /// The device from which all comes anew, since it may be one that went back; 0 for none. Then nothing is gone.
  var relearnsFrom: UInt64 = 0
  /// The stores by whose deletes it rose, each with its arrival up to which it may have: whoever holds all that stood
  /// there by then lacks none of the deletes that are gone here. This store itself is under `here`.
  private(set) var followed: [Reached] = []
  /// The oldest first. Those of this store itself are under `here`.
  var marks: [Mark] = []
  /// Whether something was let go of records that are alive, since they came whole: they go whole from here as well.
  var hasReplaced = false
  /// All replicas that hold the past open have everything that had arrived by then; nil if nobody says so.
  var stable: UInt64?

  /// In place of a peer: this store.
  static let here = Site(device: 0, incarnation: 0)
  /// In place of a peer: all that are no server. Their words are asked for in each session.
  static let others = Site(device: 0, incarnation: 1)

  static let marksMax = 128
  static let followedMax = 8
  static let secondsBetweenMarks: UInt64 = 86_400

  static func key(_ space: SpaceID) -> String { "past \(space)" }
  /// Where an earlier version kept it, which did not note what it had reached.
  private static func earlierKey(_ space: SpaceID) -> String { "horizon \(space)" }

  /// Whether all must come anew from a peer: it is followed as another incarnation, which may have gone back to before
  /// deletes that are gone here, or it was found before that it may have.
  func mustRelearn(from peer: Site) -> Bool {
    peer.device != 0
      && (relearnsFrom == peer.device
        || followed.contains { $0.site.device == peer.device && $0.site != peer })
  }

  /// Nothing is gone.
  init() {}

  /// What a database has kept.
  init(of space: SpaceID, _ connection: DatabaseConnection) throws(StoreError) {
    self.init()
    var kept = try connection.kept(Self.key(space))
    let isEarlier = kept == nil
    if isEarlier { kept = try connection.kept(Self.earlierKey(space)) }
    guard let kept else { return }
    do throws(WireError) {
      self = try Horizon(decoding: kept, isEarlier: isEarlier)
    } catch {
      throw connection.damaged("the horizon of a space")
    }
  }

  /// Whether a mark is due: a day has passed, or the clock went back.
  func isDue(at seconds: UInt64, of peer: Site) -> Bool {
    guard let last = marks.last(where: { $0.peer == peer }) else { return true }
    return seconds < last.seconds || seconds - last.seconds >= Self.secondsBetweenMarks
  }

  /// Adds a mark. Of many, every other one of the older half goes.
  mutating func add(_ mark: Mark) {
    marks.append(mark)
    guard marks.count > Self.marksMax else { return }
    let half = Self.marksMax / 2
    marks = marks.enumerated().filter { $0.offset > half || $0.offset.isMultiple(of: 2) }
      .map(\.element)
  }

  /// Notes where this store stands, at most once a day, and gives the arrival at which its past may be closed: what
  /// stood here `distance` seconds ago, as far as it is stable. Seconds are those of `CollectorAge`.
  mutating func closes(
    at arrival: UInt64, seconds: UInt64, distance: UInt64, stable: UInt64
  ) -> UInt64 {
    self.stable = stable
    let isSame = marks.last { $0.peer == Self.here }?.here == arrival
    if !isSame, isDue(at: seconds, of: Self.here) {
      add(Mark(peer: Self.here, there: arrival, here: arrival, seconds: seconds))
    }
    guard seconds >= distance else { return 0 }
    let old = marks.last { $0.peer == Self.here && $0.seconds <= seconds - distance }
    guard let old else { return 0 }
    // Nothing will ask for an older one.
    marks.removeAll { $0.peer == Self.here && $0.here < old.here }
    return min(old.here, stable)
  }

  /// Follows a peer, at which what was deleted is gone up to its arrival, as far as there is a mark.
  mutating func follow(_ peer: Site, to there: UInt64) {
    guard let mark = marks.last(where: { $0.peer == peer && $0.there <= there }) else { return }
    marks.removeAll { $0.peer.device == peer.device && ($0.peer != peer || $0.there < mark.there) }
    // What others had let go that follow this server as well stood there by then.
    followed.removeAll { $0.site == Self.others }
    follow(peer, there: mark.there)
    (due, arrival) = (max(due, mark.here), max(mark.here, arrival))
  }

  /// Rises to where this store is by what came from a peer: a server, as of its arrival `there`, or another (nil), which
  /// nobody else says to have reached.
  mutating func rise(to arrival: UInt64, by peer: Site, there: UInt64?) {
    follow(there == nil ? Self.others : peer, there: there ?? .max)
    self.arrival = max(arrival, self.arrival)
  }

  /// Rises by what this store decides itself: nobody shows by others that it lacks none of these deletes.
  mutating func rise(to arrival: UInt64) {
    follow(Self.here, there: .max)
    (self.arrival, due) = (arrival, arrival)
  }

  private mutating func follow(_ peer: Site, there: UInt64) {
    let before = followed.first { $0.site == peer }?.arrival ?? 0
    followed.removeAll { $0.site == peer || $0.site.device == peer.device && peer.device != 0 }
    followed.append(Reached(site: peer, arrival: max(there, before)))
    guard followed.count > Self.followedMax else { return }
    followed.removeFirst()
    // What the forgotten one had let go nobody can show any more.
    followed[0].arrival = .max
  }

  /// Up to which arrivals of others all is held here.
  var reached: [Reached] {
    let latest = Dictionary(marks.map { ($0.peer, $0.there) }) { max($0, $1) }
    return latest.filter { $0.key != Self.here }
      .map { Reached(site: $0.key, arrival: $0.value) }
      .sorted { ($1.arrival, $0.site) < ($0.arrival, $1.site) }
  }

  /// Whether whoever holds that lacks none of the deletes that are gone here.
  func isShown(by reached: [Reached]) -> Bool {
    !followed.isEmpty
      && followed.allSatisfy { each in
        reached.contains { $0.site == each.site && $0.arrival >= each.arrival }
      }
  }

  func keep(of space: SpaceID, _ connection: DatabaseConnection) throws(StoreError) {
    var writer = ByteWriter()
    writer.integer(relearnsFrom)
    for number in [arrival, due, swept] { writer.varint(number) }
    writer.varint(UInt64(followed.count))
    for each in followed {
      writer.identifier(each.site)
      writer.varint(each.arrival)
    }
    writer.varint(UInt64(marks.count))
    for mark in marks {
      writer.identifier(mark.peer)
      for number in [mark.there, mark.here, mark.seconds] { writer.varint(number) }
    }
    writer.varint(stable.map { $0 + 1 } ?? 0)
    writer.byte(hasReplaced ? 1 : 0)
    try connection.keep(writer.bytes, as: Self.key(space))
  }

  init(decoding bytes: [UInt8], isEarlier: Bool) throws(WireError) {
    var reader = ByteReader(bytes)
    relearnsFrom = try reader.integer(UInt64.self)
    arrival = try reader.varint()
    due = try reader.varint()
    swept = try reader.varint()
    for _ in 0..<(try reader.varint(upTo: UInt64(Self.followedMax))) {
      followed.append(
        Reached(
          site: try reader.identifier(Site.self), arrival: isEarlier ? .max : try reader.varint()))
    }
    for _ in 0..<(try reader.varint(upTo: UInt64(Self.marksMax))) {
      marks.append(
        Mark(
          peer: try reader.identifier(Site.self), there: try reader.varint(),
          here: try reader.varint(), seconds: try reader.varint()))
    }
    if !isEarlier {
      let known = try reader.varint()
      stable = known > 0 ? known - 1 : nil
      hasReplaced = try reader.byte() != 0
    }
    try reader.finish()
  }
}
