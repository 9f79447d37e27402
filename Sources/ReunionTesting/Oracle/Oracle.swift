import ReunionCore
import ReunionStore

/// Knows every write that was ever committed in a world, and what must have become of it.
///
/// It learns of writes from the stores themselves, right after each commit; it merges none of
/// its own and trusts no vector. In the end every sure write must be held or dominated at
/// every replica, nothing may be held that nobody wrote, and all must be equal.
struct Oracle {
  /// Whether records that are deleted may be gone.
  var letsGo = false
  /// The records that were gone once at the one that lets them go first.
  private(set) var gone: Set<RecordPlace> = []
  var writes: [KnownWrite] = []
  private(set) var transactions: [[Int]] = []
  private(set) var places: [RecordPlace: [Int]] = [:]
  private var numbers: [Change: Int] = [:]
  private var names: [WriteName: Int] = [:]
  private var dots: [Dot: Int] = [:]
  /// The sites that were put back, each with the count up to which its numbers name one write.
  private var floors: [Site: UInt64] = [:]
  private var forkedDevices: Set<UInt64> = []
  /// Which replica writes under a site: two clones have one device.
  private var owners: [Site: Int] = [:]
  /// Up to which arrival number each replica's store was looked at.
  private var looked: [Int: UInt64] = [:]
  /// The device that created each record: to tell what a guest may change.
  private(set) var creators: [RecordPlace: UInt64] = [:]
  /// The devices that have had several roles: what they may do is not sure.
  private(set) var mixed: Set<UInt64> = []
  /// What was erased for good, each with the number of the write that did it.
  private(set) var erased: [RecordPlace: Int] = [:]
  /// The registers that nobody showed or kept as a conflict when a replica had been put back.
  private(set) var lostConflicts: Set<WriteName> = []

  /// Notes what a replica has written since it was last looked at; `above` gives what
  /// those that it dials hold of a record.
  mutating func look(
    at replica: WorldReplica, role: WorldRole, above: (RecordPlace) throws -> [RecordState]
  ) throws {
    guard let store = replica.running else { return }
    let space = replica.world.space
    own(store.site(in: space), replica.number)
    let arrival = try store.arrival(of: space)
    let from = looked[replica.number] ?? 0
    looked[replica.number] = arrival
    guard arrival > from else { return }
    let device = store.device(in: space)
    let fresh = try store.changes(in: space, after: from).changes.filter {
      let site = $0.cell.dot.site
      return site.device == device && owners[site, default: replica.number] == replica.number
        && numbers[$0] == nil
    }
    try note(fresh, author: replica.number, role: role, above)
  }

  /// Notes what a browser's device has written, of all that its disk holds, and gives what is new;
  /// `above` gives what the one that it dials holds of a record.
  mutating func look(
    at holdings: Holdings, device: UInt64, author: Int, role: WorldRole,
    above: (RecordPlace) throws -> [RecordState]
  ) throws -> [Change] {
    let fresh = holdings.changes.filter {
      $0.cell.dot.site.device == device && numbers[$0] == nil
    }.sorted { $0.cell.dot < $1.cell.dot }
    for change in fresh { own(change.cell.dot.site, author) }
    try note(fresh, author: author, role: role, above)
    return fresh
  }

  /// Notes what a copy of a folder took from its log of a commit that had failed: it may be gone.
  mutating func lookAtCopy(
    _ changes: [Change], author: Int, role: WorldRole,
    above: (RecordPlace) throws -> [RecordState]
  ) throws {
    let first = writes.count
    try note(changes.filter { numbers[$0] == nil }, author: author, role: role, above)
    for index in first..<writes.count where writes[index].fate == .sure {
      writes[index].fate = .open
    }
  }

  /// Notes who writes under a site. A device that has a second one issues anew what its peer lost.
  private mutating func own(_ site: Site, _ writer: Int) {
    if owners[site] == nil, owners.keys.contains(where: { $0.device == site.device }) {
      forkedDevices.insert(site.device)
    }
    owners[site] = writer
  }

  // MARK: What was put back

  /// Notes that a store was put back: its next numbers may name other writes than before.
  mutating func putBack(_ replica: WorldReplica, to site: Site, seq: UInt64) {
    looked[replica.number] = 0
    putBack(to: site, seq: seq)
  }

  /// Notes that the numbers of a site above this one may name other writes than before.
  mutating func putBack(to site: Site, seq: UInt64) {
    floors[site] = min(floors[site] ?? .max, seq)
    forkedDevices.insert(site.device)
  }

  /// Notes which registers can be found as conflicts no more, if they ever lose.
  mutating func loseConflict(_ isLost: (KnownWrite) -> Bool) {
    for write in writes where write.change.cell.merge.isRegister && isLost(write) {
      lostConflicts.insert(WriteName(write.change))
    }
  }

  /// Whether any store was ever put back.
  var isAnyPutBack: Bool { !floors.isEmpty }

  /// How many sites' stores were.
  var putBackCount: Int { floors.count }

  /// Whether a number may name two writes, since its site was put back and did not know.
  func isForked(_ dot: Dot) -> Bool { floors[dot.site].map { dot.seq > $0 } ?? false }

  /// The devices of replicas.
  func devices(of replicas: Set<Int>) -> Set<UInt64> {
    Set(owners.filter { replicas.contains($0.value) }.map(\.key.device))
  }

  // MARK: Roles

  /// Has everything that a device writes from now on count as open.
  mutating func mixRoles(of device: UInt64) { mixed.insert(device) }

  /// Has writes count as possibly gone.
  mutating func open(_ isOpen: (KnownWrite) -> Bool) {
    for index in writes.indices where writes[index].fate != .open && isOpen(writes[index]) {
      writes[index].fate = .open
    }
  }

  // MARK: What is held

  /// What a record's state has of writes that are sure to stay.
  func sure(of state: RecordState, at place: RecordPlace) -> RecordState {
    RecordState(
      state.cells.filter { cell in
        let number = number(of: Change(entity: place.entity, record: place.id, cell: cell))
        return number.map { writes[$0].fate != .open } ?? true
      })
  }

  /// The known write that a cell of a store is; nil if nobody wrote it.
  func number(of change: Change) -> Int? {
    if let number = numbers[change] { return number }
    guard forkedDevices.contains(change.cell.dot.site.device) else { return nil }
    return names[WriteName(change)]
  }

  /// Whether a change is the word of a device that was put back about a site of its own. It says so between two
  /// looks, and its earlier word about that site may take the place of this one before anybody looks.
  func isOwnRetirement(_ change: Change) -> Bool {
    let device = change.cell.dot.site.device
    return change.entity == Retirement.entity && forkedDevices.contains(device)
      && Retirement.site(of: change.record).device == device
  }

  /// Whether a cell may be a delete with which a replica marked a record that came back: another may have taken its
  /// place there before anybody looked.
  func isMark(_ cell: Cell) -> Bool {
    letsGo && cell.merge == .deletion && owners[cell.dot.site] != nil
  }

  /// Whether a record's state has the effect of a write, or one that dominates it.
  func holds(_ state: RecordState, _ write: KnownWrite, inTheEnd: Bool = false) -> Bool {
    if shows(state, write) || isDominated(write, in: state) { return true }
    if letsGo, !state.isAlive || gone.contains(write.place), isLetGo(write) { return true }
    // Of a record that came back an earlier delete may be gone, and nobody had a look between the two.
    let isDeletion = write.change.cell.merge == .deletion
    if letsGo, isDeletion, state.isAlive, state.cells.contains(where: { $0.merge == .deletion }) {
      return true
    }
    // Where the record came back, its server sends the values again.
    if isHollow(write, in: state), !inTheEnd || !state.isAlive { return true }
    guard forkedDevices.contains(write.device) else { return false }
    if isSeen(write, in: state) { return true }
    // Two that were written under one number have one stamp, and are told apart when one is issued anew.
    let cell = write.change.cell
    if cell.merge.isRegister, isForked(cell.dot), let held = state.register(cell.field),
      held.stamp >= cell.stamp
    {
      return true
    }
    // What was removed or replaced before that was issued anew is named there under its new number.
    return (places[write.place] ?? []).contains { number in
      let later = writes[number]
      return later.forms.contains { form in
        write.forms.contains { form.cell.takes($0.cell) || Self.replaces(form.cell, $0.cell) }
      } && (shows(state, later) || isDominated(later, in: state))
    }
  }

  /// Whether somebody holds what was written under a number, or what dominates it.
  func holds(_ holdings: Holdings, _ dot: Dot) -> Bool {
    dots[dot].map { holds(holdings.state(writes[$0].place), writes[$0]) } ?? false
  }

  /// Notes which records are gone for good where they go first. If one comes back, it is as whoever brings it knew it.
  mutating func noteGone(_ holdings: Holdings) {
    for place in places.keys where holdings.states[place] == nil && holdsDeletion(place) {
      gone.insert(place)
    }
  }

  /// Notes the records that may go now: if a process ends in the middle, it goes on with them when it starts again.
  mutating func noteGoing(_ holdings: Holdings) {
    gone.formUnion(holdings.states.filter { $0.value.isDeleted }.keys)
  }

  private func holdsDeletion(_ place: RecordPlace) -> Bool {
    (places[place] ?? []).contains { writes[$0].change.cell.merge == .deletion }
  }

  /// Whether nothing need show a write any more: it is a deletion, or one saw it or what was written over it.
  func isLetGo(_ write: KnownWrite) -> Bool {
    if write.change.cell.merge == .deletion { return true }
    let others = (places[write.place] ?? []).map { writes[$0] }
    let later = others.filter { other in
      other.forms.contains { form in
        isDominated(write, in: RecordState([form.cell]))
          || write.forms.contains { form.cell.takes($0.cell) }
      }
    }
    return others.contains { other in
      other.forms.contains { form in
        guard form.cell.merge == .deletion, let sight = form.cell.seen else { return false }
        return (later + [write]).contains { $0.forms.contains { sight.covers($0.cell.dot) } }
      }
    }
  }

  /// Whether others' deletions saw all that a deletion did. One that was issued anew names the changes of
  /// its device by new numbers, and those no more that were written over: another may see as much then.
  private func isSeen(_ write: KnownWrite, in state: RecordState) -> Bool {
    guard write.change.cell.merge == .deletion, let sight = write.change.cell.seen,
      let others = state.sight
    else { return false }
    let number = numbers[write.change] ?? 0
    // It saw no later change under a number that was lost before.
    let written = (places[write.place] ?? [])
      .filter { $0 < number || !isForked(writes[$0].change.cell.dot) }.map { writes[$0] }
    return written.allSatisfy { seen in
      !sight.covers(seen.change.cell.dot) || seen.change.cell.merge == .deletion
        || seen.forms.contains { others.covers($0.cell.dot) }
        || written.contains { later in
          later.device == seen.device && Self.replaces(later.change.cell, seen.change.cell)
        }
    }
  }

  /// Whether a later cell leaves nothing of an earlier one of its device.
  private static func replaces(_ later: Cell, _ earlier: Cell) -> Bool {
    guard later.merge == earlier.merge, later.stamp > earlier.stamp else { return false }
    var state = RecordState([later])
    return !state.merge(earlier).changed
  }

  /// Whether another device wrote what leaves nothing of a write, wherever the two have met.
  func isWrittenOver(_ write: KnownWrite) -> Bool {
    (places[write.place] ?? []).contains { number in
      let other = writes[number]
      guard other.device != write.device else { return false }
      return other.forms.contains { form in
        isDominated(write, in: RecordState([form.cell]))
          || write.forms.contains { form.cell.takes($0.cell) }
      }
    }
  }

  private func isDominated(_ write: KnownWrite, in state: RecordState) -> Bool {
    write.forms.contains { form in
      var merged = state
      return !merged.merge(form.cell).changed
    }
  }

  /// Whether a leaf holds the write without its value: the record was deleted.
  private func isHollow(_ write: KnownWrite, in state: RecordState) -> Bool {
    guard write.change.cell.merge.isRegister,
      state.cells.contains(where: { $0.merge == .deletion })
    else { return false }
    if write.forms.contains(where: { state.cells.contains($0.cell.hollow) }) { return true }
    guard forkedDevices.contains(write.device) else { return false }
    // Under a number that its author has lost to the one of before, a leaf may still hold it.
    let name = WriteName(write.change.hollow)
    return state.cells.contains { WriteName($0, at: write.place) == name }
  }

  /// Whether a record's state has a write itself.
  func shows(_ state: RecordState, _ write: KnownWrite) -> Bool {
    if write.forms.contains(where: { state.cells.contains($0.cell) }) { return true }
    guard forkedDevices.contains(write.device) else { return false }
    let name = WriteName(write.change)
    return state.cells.contains { WriteName($0, at: write.place) == name }
  }
}

/// How writes are noted.
extension Oracle {
  private struct WriteGroup: Hashable {
    let site: Site
    let stamp: Stamp
  }

  private mutating func note(
    _ changes: [Change], author: Int, role: WorldRole,
    _ above: (RecordPlace) throws -> [RecordState]
  ) throws {
    var groups: [WriteGroup: [Change]] = [:]
    var order: [WriteGroup] = []
    for change in changes {
      if let known = reissued(change) {
        writes[known].forms.append(change)
        numbers[change] = known
        numbers[change.hollow] = known
        continue
      }
      let group = WriteGroup(site: change.cell.dot.site, stamp: change.cell.stamp)
      if groups[group] == nil { order.append(group) }
      groups[group, default: []].append(change)
    }
    for group in order {
      let changes = groups[group] ?? []
      let fate = fate(of: changes, role: role)
      if role < .edit { try replace(by: changes, fate, above) }
      transactions.append([])
      for change in changes {
        add(change, author: author, fate: erased[RecordPlace(change)] == nil ? fate : .open)
        erase(by: change)
      }
      beat(with: changes, fate)
    }
  }

  private mutating func add(_ change: Change, author: Int, fate: KnownWrite.Fate) {
    let number = writes.count
    let dot = change.cell.dot
    if isAnyPutBack, dots[dot] != nil {
      // A commit that a disk had failed came back, and its numbers had been used again.
      putBack(to: dot.site, seq: dot.seq - 1)
    }
    dots[dot] = number
    writes.append(
      KnownWrite(
        forms: [change], author: author, transaction: transactions.count - 1, fate: fate))
    transactions[transactions.count - 1].append(number)
    for form in [change, change.hollow] {
      numbers[form] = numbers[form] ?? number
      names[WriteName(form)] = names[WriteName(form)] ?? number
    }
    places[RecordPlace(change), default: []].append(number)
    if change.cell.merge == .creation, fate == .sure {
      creators[RecordPlace(change)] = creators[RecordPlace(change)] ?? change.cell.dot.site.device
    }
  }

  /// What anybody writes of an erased record is gone wherever its erasure is known.
  private mutating func erase(by change: Change) {
    guard let (entity, record) = change.erased else { return }
    let place = RecordPlace(entity: entity, id: record)
    erased[place] = erased[place] ?? writes.count - 1
    open { $0.place == place }
  }

  /// The known write that this is under another number, as a store that was put back issues it anew.
  private func reissued(_ change: Change) -> Int? {
    guard forkedDevices.contains(change.cell.dot.site.device) else { return nil }
    return names[WriteName(change)]
  }
}

extension Cell {
  /// Whether it removes another cell from a collection.
  fileprivate func takes(_ other: Cell) -> Bool {
    switch merge {
    case .itemRemoval:
      field == other.field && (other.merge == .item ? other.dot : other.namedItem) == namedItem
    case .memberRemoval:
      field == other.field && other.merge == .member && removedMember == other.value
        && seen?.covers(other.dot) == true
    default: false
    }
  }
}

extension Change {
  /// The change as a leaf has it of a deleted record.
  fileprivate var hollow: Change { Change(entity: entity, record: record, cell: cell.hollow) }
}

extension RecordState {
  /// What its deletions saw; nil if it has none.
  fileprivate var sight: VersionVector? {
    let sights = cells.filter { $0.merge == .deletion }.compactMap(\.seen)
    guard var sight = sights.first else { return nil }
    for other in sights.dropFirst() { sight.merge(other) }
    return sight
  }
}
