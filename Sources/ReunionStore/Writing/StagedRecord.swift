import ReunionCore

/// A record with the operations of a transaction done to it, one after the other, under one stamp.
struct StagedRecord {
  /// No replica's: what is written under it is not kept.
  static let provisionalSite = Site(device: 0, incarnation: 0)

  private(set) var state: RecordState
  /// The number of the last change.
  private(set) var seq: UInt64
  private let site: Site
  private let stamp: Stamp
  private let fieldMerge: MergeKind
  /// The items that operations inserted, by the operations' numbers.
  private var items: [Int: Dot] = [:]
  private var numbers: [Dot: Int] = [:]

  init(state: RecordState, seq: UInt64, site: Site, stamp: Stamp, fieldMerge: MergeKind) {
    self.state = state
    self.seq = seq
    self.site = site
    self.stamp = stamp
    self.fieldMerge = fieldMerge
  }

  mutating func perform(_ operation: PendingRecord.Operation, number: Int) {
    switch operation {
    case .create: write(Cell.existence, .creation, .null)
    case .delete: write(Cell.existence, .deletion, Cell.deletionValue(seen: state.seen))
    case .set(let field, let value):
      let held = state.register(field)
      // Where this transaction wrote it already, what that replaced counts.
      let replaced = held.map { $0.stamp < stamp ? $0.stamp : $0.replaced } ?? .none
      write(field, fieldMerge, value, replaced: replaced)
    case .add(let field, let amount):
      write(field, .tally, .int(state.tally(field, of: site) &+ amount))
    case .tally(let field, let number): write(field, .tally, .int(number))
    case .insertMember(let field, let element): write(field, .member, element)
    case .removeMember(let field, let element):
      let seen = state.additions(field, of: element)
      write(field, .memberRemoval, Cell.memberRemovalValue(of: element, seen: seen))
    case .insertItem(let field, let element, let position):
      write(field, .item, element)
      let item = Dot(site: site, seq: seq)
      items[number] = item
      numbers[item] = number
      write(field, .place, Cell.placeValue(of: item, at: position))
    case .place(let field, let name, let position):
      guard let item = item(name) else { return }
      write(field, .place, Cell.placeValue(of: item, at: position))
    case .removeItem(let field, let name):
      guard let item = item(name) else { return }
      write(field, .itemRemoval, Cell.itemRemovalValue(of: item))
    }
  }

  /// How later operations call an item of the state.
  func name(of item: Dot) -> PendingRecord.ItemName {
    numbers[item].map { .inserted($0) } ?? .held(item)
  }

  private func item(_ name: PendingRecord.ItemName) -> Dot? {
    switch name {
    case .held(let dot): dot
    case .inserted(let number): items[number]
    }
  }

  private mutating func write(
    _ field: UInt32, _ merge: MergeKind, _ value: Value, replaced: Stamp = .none
  ) {
    seq += 1
    _ = state.merge(
      Cell(
        field: field, merge: merge, dot: Dot(site: site, seq: seq), stamp: stamp,
        replaced: replaced, value: value))
  }
}
