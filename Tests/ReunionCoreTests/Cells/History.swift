import ReunionCore

/// A random history of a list and a set at three sites that now and then tell each other what they
/// know, and the naive models that it is compared with: all changes ever made, sorted.
struct History {
  enum Bug { case removalSeesAll, placesByArrival }

  static let list: UInt32 = 1
  static let set: UInt32 = 2

  struct Copy {
    let site: Site
    var state = RecordState()
    /// Every change that this copy knows, in the order in which it heard of it.
    var known: [Cell] = []
    var seq: UInt64 = 0
  }

  private var random: Seeded
  private let bug: Bug?
  private var copies = [Copy(site: ann), Copy(site: ben), Copy(site: cem)]
  private var clock: UInt64 = 0

  init(seed: UInt64, bug: Bug? = nil) {
    random = Seeded(seed)
    self.bug = bug
  }

  /// Runs it; what differs from the naive models, or nil.
  mutating func run() throws -> String? {
    for _ in 0..<Int.random(in: 4...24, using: &random) {
      let index = Int.random(in: 0..<copies.count, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0, 1: tell(from: Int.random(in: 0..<copies.count, using: &random), to: index)
      case 2: insert(at: index)
      case 3: move(at: index)
      case 4: remove(at: index)
      case 5, 6: add(at: index)
      default: subtract(at: index)
      }
      if let problem = check(copies[index]) { return problem }
    }
    for from in copies.indices { for to in copies.indices { tell(from: from, to: to) } }
    for from in copies.indices { for to in copies.indices { tell(from: from, to: to) } }
    for copy in copies {
      if let problem = check(copy) { return problem }
      if copy.state != copies[0].state { return "two copies differ" }
    }
    return nil
  }

  // MARK: What happens

  private mutating func write(_ field: UInt32, _ merge: MergeKind, _ value: Value, at index: Int) {
    copies[index].seq += 1
    clock += UInt64.random(in: 0...1, using: &random)
    let cell = Cell(
      field: field, merge: merge, dot: Dot(site: copies[index].site, seq: copies[index].seq),
      stamp: Stamp(rawValue: clock + 1), value: value)
    copies[index].known.append(cell)
    _ = copies[index].state.merge(cell)
  }

  private mutating func insert(at index: Int) {
    let items = copies[index].state.items(Self.list)
    let spot = Int.random(in: 0...items.count, using: &random)
    write(Self.list, .item, .int(Int64(clock)), at: index)
    let item = Dot(site: copies[index].site, seq: copies[index].seq)
    put(
      item, between: spot > 0 ? items[spot - 1].position : nil,
      spot < items.count ? items[spot].position : nil, at: index)
  }

  private mutating func move(at index: Int) {
    var items = copies[index].state.items(Self.list)
    guard let from = items.indices.randomElement(using: &random) else { return }
    let item = items.remove(at: from)
    let spot = Int.random(in: 0...items.count, using: &random)
    put(
      item.dot, between: spot > 0 ? items[spot - 1].position : nil,
      spot < items.count ? items[spot].position : nil, at: index)
  }

  private mutating func put(
    _ item: Dot, between low: Position?, _ high: Position?, at index: Int
  ) {
    let position = Position.between(low, high, using: &random)
    guard let position = position ?? Position.between(low, nil, using: &random) else { return }
    write(Self.list, .place, Cell.placeValue(of: item, at: position), at: index)
  }

  private mutating func remove(at index: Int) {
    let items = copies[index].state.items(Self.list)
    guard let item = items.randomElement(using: &random) else { return }
    write(Self.list, .itemRemoval, Cell.itemRemovalValue(of: item.dot), at: index)
  }

  private mutating func add(at index: Int) {
    write(Self.set, .member, .int(Int64.random(in: 0...2, using: &random)), at: index)
  }

  private mutating func subtract(at index: Int) {
    guard let element = copies[index].state.members(Self.set).randomElement(using: &random) else {
      return
    }
    var seen = copies[index].state.additions(Self.set, of: element)
    if bug == .removalSeesAll { for site in [ann, ben, cem] { seen.raise(site, to: 1 << 40) } }
    write(
      Self.set, .memberRemoval, Cell.memberRemovalValue(of: element, seen: seen), at: index)
  }

  private mutating func tell(from: Int, to: Int) {
    guard from != to else { return }
    for cell in copies[from].known.shuffled(using: &random) {
      guard !copies[to].known.contains(cell) else { continue }
      copies[to].known.append(cell)
      _ = copies[to].state.merge(cell)
    }
  }

  // MARK: The naive models

  private func check(_ copy: Copy) -> String? {
    let items = copy.state.items(Self.list).map(\.dot)
    let members = copy.state.members(Self.set)
    if items != naiveItems(copy.known) { return "the list differs" }
    if members != naiveMembers(copy.known) { return "the set differs" }
    return nil
  }

  /// Items that nobody removed, each at the latest of its places.
  private func naiveItems(_ known: [Cell]) -> [Dot] {
    let removed = Set(known.filter { $0.merge == .itemRemoval }.compactMap(\.namedItem))
    let items = known.filter { $0.merge == .item && !removed.contains($0.dot) }.map(\.dot)
    func position(_ item: Dot) -> Position? {
      let places = known.filter { $0.merge == .place && $0.namedItem == item }
      if bug == .placesByArrival { return places.last?.position }
      return places.max { ($0.stamp, $0.dot) < ($1.stamp, $1.dot) }?.position
    }
    return items.sorted { left, right in
      switch (position(left), position(right)) {
      case (let one?, let other?): one == other ? left < right : one < other
      case (nil, nil): left < right
      case (let one, _): one == nil
      }
    }
  }

  /// Elements with an addition that no removal's author had seen: who saw what is what they knew.
  private func naiveMembers(_ known: [Cell]) -> [Value] {
    let removals = known.filter { $0.merge == .memberRemoval }
    let alive = known.filter { cell in
      cell.merge == .member
        && !removals.contains { removal in
          removal.removedMember == cell.value && knew(removal, of: cell)
        }
    }
    return Set(alive.compactMap(\.value.int)).sorted().map(Value.int)
  }

  /// Whether a removal's author knew of a change before making it: by order, and not by vectors.
  private func knew(_ removal: Cell, of cell: Cell) -> Bool {
    guard let author = copies.first(where: { $0.site == removal.dot.site }),
      let then = author.known.firstIndex(of: removal),
      let heard = author.known.firstIndex(of: cell)
    else { return false }
    return heard < then
  }
}
