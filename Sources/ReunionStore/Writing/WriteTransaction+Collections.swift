public import ReunionCore
public import ReunionDisk

/// Counters, sets and lists: what is written is the change, so that changes made apart add up.
///
/// They can be changed on a deleted record too, which comes back by it.
extension WriteTransaction {
  /// Adds to a counter; a negative amount subtracts.
  ///
  /// ```swift
  /// try store.write(in: space) { try $0.add(1, to: \Photo.views, of: photo.id) }
  /// ```
  /// What devices add while they are apart is summed, each addition once. The sum wraps at 64 bits.
  /// To read it, fetch the record: the counter has what this device knows.
  /// - Throws: `notFound` if there never was such a record; `invalidModel` if the schema has no
  ///   field at the path; `recordErased`.
  public func add<E: Entity>(
    _ amount: Int, to path: KeyPath<E, Counter>, of id: RecordID
  ) throws(StoreError) {
    try append(.add(E.schema.field(path).number, Int64(amount)), at: existing(E.self, id))
  }

  /// Adds an element to a set. Adding it again is a change too: it protects the element from
  /// removals made meanwhile by devices that have not seen this one.
  ///
  /// ```swift
  /// try store.write(in: space) { transaction in
  ///   try transaction.insert("sea", into: \Photo.tags, of: photo.id)
  ///   try transaction.remove("draft", from: \Photo.tags, of: photo.id)
  /// }
  /// ```
  /// - Throws: `notFound` if there never was such a record; `valueTooLarge` for an element over 512
  ///   KiB; `notEncodable`, `invalidModel`, `recordErased`.
  public func insert<E: Entity, Element: FieldValue>(
    _ element: Element, into path: KeyPath<E, Set<Element>>, of id: RecordID
  ) throws(StoreError) {
    let field = try E.schema.field(path).number
    try check(element.storedValue, of: field, in: E.schema.number)
    try append(.insertMember(field, element.storedValue), at: existing(E.self, id))
  }

  /// Removes an element from a set; if it is not there, nothing changes.
  ///
  /// It takes away the additions that this device has seen. One that another device makes meanwhile
  /// stays, and so the element does.
  /// - Throws: `notFound` if there never was such a record, `invalidModel`, `recordErased`.
  public func remove<E: Entity, Element: FieldValue>(
    _ element: Element, from path: KeyPath<E, Set<Element>>, of id: RecordID
  ) throws(StoreError) {
    let field = try E.schema.field(path).number
    let position = try existing(E.self, id)
    let value = element.storedValue
    guard pending[position].staged().state.members(field).contains(value) else { return }
    append(.removeMember(field, value), at: position)
  }

  /// Inserts an item before the one at an index, or at the end without one.
  ///
  /// ```swift
  /// try store.write(in: space) { transaction in
  ///   try transaction.insert("Rotate", into: \Photo.steps, of: photo.id)
  ///   try transaction.insert("Crop", into: \Photo.steps, at: 0, of: photo.id)
  ///   try transaction.move(in: \Photo.steps, from: 1, to: 0, of: photo.id)
  ///   try transaction.remove(at: 1, from: \Photo.steps, of: photo.id)
  /// }
  /// ```
  /// Items that devices insert at one place while apart all stay, in the same order everywhere. An
  /// index is one of the list as this transaction sees it.
  /// - Throws: `notFound` if there never was such a record. `noSuchItem` for an index below 0 or
  ///   above the count. `valueTooLarge` for an item over 512 KiB. `notEncodable`, `invalidModel`,
  ///   `recordErased`. *Cost*: O(items · log items).
  public func insert<E: Entity, Element: FieldValue>(
    _ element: Element, into path: KeyPath<E, OrderedList<Element>>, at index: Int? = nil,
    of id: RecordID
  ) throws(StoreError) {
    let field = try E.schema.field(path).number
    try check(element.storedValue, of: field, in: E.schema.number)
    let position = try existing(E.self, id)
    var items = items(field, at: position)
    let index = try checked(index ?? items.count, below: items.count + 1)
    put(.new(element.storedValue), into: &items, at: index, field, position)
  }

  /// Moves an item; `to` is its index afterwards. It stays the same item: an edit of the order
  /// loses nothing that others do to it.
  ///
  /// If two devices move one item while apart, the later move counts. If one of them removes it, it
  /// is gone.
  /// - Throws: `notFound` if there never was such a record, `noSuchItem` for an index outside the
  ///   list, `invalidModel`, `recordErased`. *Cost*: O(items · log items).
  public func move<E: Entity, Element: FieldValue>(
    in path: KeyPath<E, OrderedList<Element>>, from: Int, to: Int, of id: RecordID
  ) throws(StoreError) {
    let field = try E.schema.field(path).number
    let position = try existing(E.self, id)
    var items = items(field, at: position)
    let item = items[try checked(from, below: items.count)]
    let index = try checked(to, below: items.count)
    guard from != to else { return }
    items.remove(at: from)
    put(.held(item.name), into: &items, at: index, field, position)
  }

  /// Removes an item, for good: nothing that others do to it meanwhile brings it back. An undo
  /// inserts its value as a new item.
  ///
  /// - Throws: `notFound` if there never was such a record, `noSuchItem` for an index outside the
  ///   list, `invalidModel`, `recordErased`. *Cost*: O(items · log items).
  public func remove<E: Entity, Element: FieldValue>(
    at index: Int, from path: KeyPath<E, OrderedList<Element>>, of id: RecordID
  ) throws(StoreError) {
    let field = try E.schema.field(path).number
    let position = try existing(E.self, id)
    let items = items(field, at: position)
    let item = items[try checked(index, below: items.count)]
    append(.removeItem(field, item.name), at: position)
  }

  /// Writes what makes a field of many cells equal to a value, from what the Swift type sees of it.
  func assign(
    _ value: Value, to field: UInt32, over held: Value, at position: Int
  ) throws(StoreError) {
    let entity = pending[position].key.entity
    switch value.kind {
    case .counter:
      let difference = (value.int ?? 0) &- (held.int ?? 0)
      if difference != 0 { append(.add(field, difference), at: position) }
    case .set:
      let (new, old) = (Set(value.elements ?? []), Set(held.elements ?? []))
      for element in new.subtracting(old).sorted(by: Value.isOrdered) {
        try check(element, of: field, in: entity)
        append(.insertMember(field, element), at: position)
      }
      for element in old.subtracting(new).sorted(by: Value.isOrdered) {
        append(.removeMember(field, element), at: position)
      }
    default:
      for element in value.elements ?? [] { try check(element, of: field, in: entity) }
      reorder(field, to: value.elements ?? [], at: position)
    }
  }

  /// Removes, inserts and moves items until the list holds these values in this order.
  private func reorder(_ field: UInt32, to values: [Value], at position: Int) {
    let old = pending[position].staged().state.items(field).map(\.value)
    let changes = values.difference(from: old).inferringMoves()
    var items = items(field, at: position)
    var moving: [Int: ListItem] = [:]
    for case .remove(let offset, _, let target) in changes.removals.reversed() {
      let item = items.remove(at: offset)
      if target == nil {
        append(.removeItem(field, item.name), at: position)
      } else {
        moving[offset] = item
      }
    }
    for case .insert(let offset, let value, let source) in changes.insertions {
      let item = source.flatMap { moving[$0] }.map { PlacedItem.held($0.name) } ?? .new(value)
      put(item, into: &items, at: offset, field, position)
    }
  }

  /// An item as this transaction names it, and where it stands; nil while its place has not come.
  private struct ListItem {
    let name: PendingRecord.ItemName
    var position: Position?
  }

  private enum PlacedItem {
    case new(Value)
    case held(PendingRecord.ItemName)
  }

  private func items(_ field: UInt32, at position: Int) -> [ListItem] {
    let staged = pending[position].staged()
    return staged.state.items(field).map {
      ListItem(name: staged.name(of: $0.dot), position: $0.position)
    }
  }

  /// Puts an item between two others. Where there is no room, as between items that two devices put
  /// at the same place, those after it are put anew until there is some.
  private func put(
    _ item: PlacedItem, into items: inout [ListItem], at index: Int, _ field: UInt32,
    _ position: Int
  ) {
    var random = StoreRandom(draw: store.options.random)
    let low = index > 0 ? items[index - 1].position : nil
    var end = index
    func spot() -> Position? {
      guard end < items.count else { return Position.between(low, nil, using: &random) }
      // An item whose place has not come stands nowhere, so that nothing stands before it.
      return items[end].position.flatMap { Position.between(low, $0, using: &random) }
    }
    var found = spot()
    while found == nil, end < items.count {
      end += 1
      found = spot()
    }
    guard let found else { return }
    let placed: ListItem
    switch item {
    case .new(let value):
      append(.insertItem(field, value, found), at: position)
      placed = ListItem(
        name: .inserted(pending[position].operations.count - 1), position: found)
    case .held(let name):
      append(.place(field, name, found), at: position)
      placed = ListItem(name: name, position: found)
    }
    let high = end < items.count ? items[end].position : nil
    var last = found
    for next in index..<end {
      guard let spot = Position.between(last, high, using: &random) else { break }
      append(.place(field, items[next].name, spot), at: position)
      items[next].position = spot
      last = spot
    }
    items.insert(placed, at: index)
  }

  private func append(_ operation: PendingRecord.Operation, at position: Int) {
    pending[position].append(operation)
  }

  private func checked(_ index: Int, below count: Int) throws(StoreError) -> Int {
    guard index >= 0, index < count else {
      throw StoreError(.noSuchItem, "The list has no index \(index): use one below \(count).")
    }
    return index
  }
}

/// The store's random numbers.
private struct StoreRandom: RandomNumberGenerator {
  let draw: @Sendable () -> UInt64

  func next() -> UInt64 { draw() }
}
