import ReunionCore
import ReunionTesting

@testable import ReunionStore

/// What somebody may try to change who may not.
enum Forgery: String, CaseIterable, Codable {
  /// A field, an item, a count of a record that another device made.
  case edit, member, tally, annotation, delete
  /// To be the one who made another's record.
  case takeOver
  /// In the name of another device: the host's, another guest's, one that was put out, an invented one.
  case asAnother, asRemoved, asInvented, ownRecordAsAnother
  /// A record that is there by such a change alone.
  case dependent
  /// An honest change in one transaction with a forged one.
  case mixed
  /// What those alone may say who may change everything.
  case erasure, retirement
  /// A stamp that nobody could follow.
  case absurdStamp
  /// Entities that the model does not know, of a record of somebody else.
  case unknownEntity
}

/// The devices of a party, and what each has made.
struct Party {
  struct Guest {
    let site: Site
    var seq: UInt64 = 0
    var records: [RecordID] = []

    mutating func nextDot() -> Dot {
      seq += 1
      return Dot(site: site, seq: seq)
    }
  }

  static let entity: UInt32 = 1
  static let unknown: UInt32 = 4_711

  var random: SeededRandom
  /// Guests, and after them one that was put out.
  var guests = (1...5 as ClosedRange<UInt64>).map {
    Guest(site: Site(device: 100 + $0, incarnation: $0))
  }
  let viewer = Site(device: 200, incarnation: 1)
  private(set) var viewerSeq: UInt64 = 0
  /// The records of the host.
  var host: [RecordID] = []
  let hostSite: Site
  private var clock: UInt64 = 1_800_000_000_000

  init(seed: UInt64, hostSite: Site) {
    random = SeededRandom(seed: seed)
    self.hostSite = hostSite
  }

  var removed: Site { guests[guests.count - 1].site }

  private mutating func stamp() -> Stamp {
    clock += 1
    return Stamp(milliseconds: clock)
  }

  /// A number that rises with each stamp.
  private var serial: UInt64 { clock - 1_800_000_000_000 + 1_000_000 }

  private mutating func newID() -> RecordID {
    RecordID(high: random.next(), low: random.next())
  }

  private func cell(
    _ field: UInt32, _ merge: MergeKind, _ dot: Dot, _ stamp: Stamp, _ value: Value
  ) -> Cell {
    Cell(field: field, merge: merge, dot: dot, stamp: stamp, value: value)
  }

  private func change(_ record: RecordID, _ cell: Cell, _ entity: UInt32 = entity) -> Change {
    Change(entity: entity, record: record, cell: cell)
  }

  /// A record of a guest's own, or an edit of one.
  mutating func honest(by number: Int) -> [Change] {
    let now = stamp()
    if let old = guests[number].records.randomElement(using: &random), random.happens(0.5) {
      let text = Value.text("edit \(now.rawValue)")
      return [change(old, cell(1, .register, guests[number].nextDot(), now, text))]
    }
    let id = newID()
    guests[number].records.append(id)
    return [
      change(id, cell(0, .creation, guests[number].nextDot(), now, .null)),
      change(id, cell(1, .register, guests[number].nextDot(), now, .text("honest"))),
      change(id, cell(2, .register, guests[number].nextDot(), now, .int(7))),
    ]
  }

  /// Somebody else's record.
  private mutating func another(than number: Int) -> RecordID {
    let others = guests.indices.filter { $0 != number && !guests[$0].records.isEmpty }
    guard let other = others.randomElement(using: &random), random.happens(0.5),
      let record = guests[other].records.randomElement(using: &random)
    else { return host.randomElement(using: &random) ?? RecordID(high: 0, low: 1) }
    return record
  }

  /// What a guest may not do.
  mutating func forged(_ kind: Forgery, by number: Int) -> [Change] {
    let now = stamp()
    let theirs = another(than: number)
    let text = Value.text("forged")
    func own(_ party: inout Party) -> Dot { party.guests[number].nextDot() }
    switch kind {
    case .edit: return [change(theirs, cell(1, .register, own(&self), now, text))]
    case .annotation: return [change(theirs, cell(2, .annotation, own(&self), now, .int(9)))]
    case .member: return [change(theirs, cell(5, .member, own(&self), now, text))]
    case .tally: return [change(theirs, cell(4, .tally, own(&self), now, .int(9)))]
    case .delete:
      var seen = VersionVector()
      for guest in guests { seen.raise(guest.site, to: 1 << 40) }
      seen.raise(hostSite, to: 1 << 40)
      let value = Cell.deletionValue(seen: seen)
      return [change(theirs, cell(0, .deletion, own(&self), now, value))]
    case .takeOver:
      let first = Stamp(rawValue: 1)
      return [change(theirs, cell(0, .creation, own(&self), first, .null))]
    case .asAnother: return record(as: Dot(site: hostSite, seq: serial), now)
    case .asRemoved: return record(as: Dot(site: removed, seq: 1 << 30 + serial), now)
    case .asInvented:
      return record(as: Dot(site: Site(device: random.next(), incarnation: 1), seq: 1), now)
    case .ownRecordAsAnother:
      let mine = guests[number].records.randomElement(using: &random) ?? theirs
      let dot = Dot(site: hostSite, seq: serial)
      return [change(mine, cell(1, .register, dot, now, text))]
    case .dependent:
      let id = newID()
      let dot = Dot(site: hostSite, seq: serial)
      return [
        change(id, cell(0, .creation, dot, now, .null)),
        change(id, cell(1, .register, own(&self), stamp(), text)),
      ]
    case .mixed:
      let id = newID()
      return [
        change(id, cell(0, .creation, own(&self), now, .null)),
        change(theirs, cell(1, .register, own(&self), now, text)),
      ]
    case .erasure:
      let hash = BlobHash(of: [UInt8]("\(now.rawValue)"))
      let id = Erasure.id(of: hash)
      return [
        change(id, cell(0, .creation, own(&self), now, .null), Erasure.entity),
        change(id, cell(1, .register, own(&self), now, .bytes(hash.bytes)), Erasure.entity),
      ]
    case .retirement:
      let site = Site(device: hostSite.device, incarnation: now.rawValue)
      let id = Retirement.id(of: site)
      return [
        change(id, cell(0, .creation, own(&self), now, .null), Retirement.entity),
        change(id, cell(1, .register, own(&self), now, .int(1)), Retirement.entity),
      ]
    case .absurdStamp:
      let late = Stamp(rawValue: Stamp.guestLimit.rawValue + now.rawValue & 0xffff)
      return record(as: own(&self), late)
    case .unknownEntity:
      return [change(host[0], cell(1, .register, own(&self), now, text), Self.unknown)]
    }
  }

  private mutating func record(as dot: Dot, _ stamp: Stamp) -> [Change] {
    [change(newID(), cell(0, .creation, dot, stamp, .null))]
  }

  /// A viewer may change nothing: not even a record of its own.
  mutating func viewed() -> [Change] {
    viewerSeq += 1
    let record = random.happens(0.5) ? newID() : host.randomElement(using: &random) ?? newID()
    let dot = Dot(site: viewer, seq: viewerSeq)
    let merge: MergeKind = random.happens(0.5) ? .creation : .register
    return [change(record, cell(merge == .creation ? 0 : 1, merge, dot, stamp(), .null))]
  }
}
