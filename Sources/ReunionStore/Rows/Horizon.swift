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
  /// The peers by whose horizon it rose.
  var followed: [Site] = []
  /// The oldest first.
  var marks: [Mark] = []

  static let marksMax = 128
  static let followedMax = 8
  static let secondsBetweenMarks: UInt64 = 86_400

  static func key(_ space: SpaceID) -> String { "horizon \(space)" }

  /// Whether all must come anew from a peer: it is followed as another incarnation, which may have gone back to before
  /// deletes that are gone here, or it was found before that it may have.
  func mustRelearn(from peer: Site) -> Bool {
    relearnsFrom == peer.device && peer.device != 0
      || followed.contains { $0.device == peer.device && $0 != peer }
  }

  /// Nothing is gone.
  init() {}

  /// What a database has kept.
  init(of space: SpaceID, _ connection: DatabaseConnection) throws(StoreError) {
    self.init()
    guard let kept = try connection.kept(Self.key(space)) else { return }
    do throws(WireError) {
      self = try Horizon(decoding: kept)
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

  /// Follows a peer, at which what was deleted is gone up to its arrival, as far as there is a mark.
  mutating func follow(_ peer: Site, to there: UInt64) {
    guard let mark = marks.last(where: { $0.peer == peer && $0.there <= there }) else { return }
    marks.removeAll { $0.peer.device == peer.device && ($0.peer != peer || $0.there < mark.there) }
    follow(peer)
    (due, arrival) = (max(due, mark.here), max(mark.here, arrival))
  }

  /// Follows a peer from which all came anew, up to where this store is by that.
  mutating func follow(_ peer: Site, at arrival: UInt64) {
    follow(peer)
    self.arrival = max(arrival, self.arrival)
  }

  private mutating func follow(_ peer: Site) {
    followed.removeAll { $0.device == peer.device }
    followed.append(peer)
    if followed.count > Self.followedMax { followed.removeFirst() }
  }

  func keep(of space: SpaceID, _ connection: DatabaseConnection) throws(StoreError) {
    var writer = ByteWriter()
    writer.integer(relearnsFrom)
    for number in [arrival, due, swept] { writer.varint(number) }
    writer.varint(UInt64(followed.count))
    for site in followed { writer.identifier(site) }
    writer.varint(UInt64(marks.count))
    for mark in marks {
      writer.identifier(mark.peer)
      for number in [mark.there, mark.here, mark.seconds] { writer.varint(number) }
    }
    try connection.keep(writer.bytes, as: Self.key(space))
  }

  private init(decoding bytes: [UInt8]) throws(WireError) {
    var reader = ByteReader(bytes)
    relearnsFrom = try reader.integer(UInt64.self)
    arrival = try reader.varint()
    due = try reader.varint()
    swept = try reader.varint()
    for _ in 0..<(try reader.varint(upTo: UInt64(Self.followedMax))) {
      followed.append(try reader.identifier(Site.self))
    }
    for _ in 0..<(try reader.varint(upTo: UInt64(Self.marksMax))) {
      marks.append(
        Mark(
          peer: try reader.identifier(Site.self), there: try reader.varint(),
          here: try reader.varint(), seconds: try reader.varint()))
    }
    try reader.finish()
  }
}
