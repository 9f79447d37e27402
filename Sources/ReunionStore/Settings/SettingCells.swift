import ReunionCore

/// Where a rule keeps its cells in a setting's record: a field for each rule and type, so that a key
/// that two apps declare differently is found out. The numbers are permanent (docs/protocol.md, 4).
enum SettingSlot: UInt32, CaseIterable {
  case latest = 2
  case first = 4
  case counter = 5
  case union = 6
  case maxInt = 8
  case maxDouble = 9
  case maxDate = 10
  case minInt = 12
  case minDouble = 13
  case minDate = 14
  case or = 16
  case and = 17

  /// The entity of settings.
  static let entity = ReservedEntity.setting
  static let nameField: UInt32 = 1
  /// What of a latest value is beyond 512 KiB; it counts with the write that stands in `latest` alone.
  static let restField: UInt32 = 3

  var field: UInt32 { rawValue }

  /// Of a rule whose cells are a site's extreme: whether the least of all counts.
  var isLeast: Bool {
    switch self {
    case .minInt, .minDouble, .minDate, .and: true
    default: false
    }
  }

  /// The record of a name: the same on every device.
  static func record(of name: String) -> RecordKey {
    let hash = SHA256.hash(Array("reunion setting\0".utf8) + Array(name.utf8))
    return RecordKey(
      entity: entity, id: RecordID(bytes: Array(hash.prefix(16))) ?? RecordID(high: 0, low: 0))
  }
}

/// What the record of a setting says.
struct SettingCells {
  let state: RecordState
  private let isAlive: Bool

  init(_ state: RecordState?) {
    self.state = state ?? RecordState()
    isAlive = self.state.isAlive
  }

  /// What a key reads.
  enum Reading<Value> {
    case none
    case value(Value)
    /// A value of the key's type that this build cannot read, as a case of a newer app.
    case unreadable
    case otherType
  }

  /// The name of the setting, nil where it is not set.
  var name: String? { isSet ? state.register(SettingSlot.nameField)?.value.text : nil }

  /// Whether any rule has a value.
  var isSet: Bool { SettingSlot.allCases.contains(where: isSet) }

  /// Whether a rule has a value; a counter that stands at 0 again has none.
  func isSet(_ slot: SettingSlot) -> Bool {
    guard isAlive else { return false }
    return switch slot {
    case .latest: latest != nil
    case .first: first != nil
    case .counter: sum ?? 0 != 0
    case .union: elements != nil
    default: extreme(slot) != nil
    }
  }

  /// The bytes of what it is set to.
  var byteCount: Int {
    guard isAlive else { return 0 }
    var count = (latest?.bytes.count ?? 0) + (first?.bytes.count ?? 0)
    for element in elements ?? [] { count += element.bytes.count }
    for slot in SettingSlot.allCases where slot.rawValue > SettingSlot.union.rawValue {
      if isSet(slot) { count += 8 }
    }
    return count + (isSet(.counter) ? 8 : 0)
  }

  // What rules read

  var latest: Value? {
    guard isAlive, let cell = state.register(SettingSlot.latest.field), cell.value != .null else {
      return nil
    }
    guard let rest = state.register(SettingSlot.restField), rest.stamp == cell.stamp,
      rest.dot.site == cell.dot.site
    else { return cell.value }
    return Value(kind: cell.value.kind, bytes: cell.value.bytes + rest.value.bytes)
  }

  var first: Value? {
    guard isAlive else { return nil }
    return cells(.first, .member).min {
      ($0.stamp, $0.dot.site, $0.dot.seq) < ($1.stamp, $1.dot.site, $1.dot.seq)
    }?.value
  }

  var sum: Int64? {
    isAlive && !cells(.counter, .tally).isEmpty ? state.count(SettingSlot.counter.field) : nil
  }

  var elements: [Value]? {
    let members = isAlive ? state.members(SettingSlot.union.field) : []
    return members.isEmpty ? nil : members
  }

  func extreme(_ slot: SettingSlot) -> Int64? {
    let numbers = isAlive ? cells(slot, .tally).compactMap(\.value.int) : []
    return slot.isLeast ? numbers.min() : numbers.max()
  }

  private func cells(_ slot: SettingSlot, _ merge: MergeKind) -> [Cell] {
    state.cells.filter { $0.field == slot.field && $0.merge == merge }
  }

  // What rules write

  func setLatest(_ value: Value) -> [PendingRecord.Operation] {
    if latest == value { return [] }
    let head = Array(value.bytes.prefix(Value.bytesMax))
    let rest = Array(value.bytes.dropFirst(Value.bytesMax))
    let hasRest = state.register(SettingSlot.restField).map { $0.value != .null } ?? false
    var operations = [
      PendingRecord.Operation.set(SettingSlot.latest.field, Value(kind: value.kind, bytes: head))
    ]
    if hasRest || !rest.isEmpty {
      operations.append(.set(SettingSlot.restField, rest.isEmpty ? .null : .bytes(rest)))
    }
    return operations
  }

  func inserting(_ elements: Set<Value>) -> [PendingRecord.Operation] {
    elements.sorted(by: Value.isOrdered).map { .insertMember(SettingSlot.union.field, $0) }
  }

  func removing(_ elements: Set<Value>) -> [PendingRecord.Operation] {
    elements.sorted(by: Value.isOrdered).map { .removeMember(SettingSlot.union.field, $0) }
  }
}

extension SettingCells.Reading where Value: FieldValue {
  /// Reads a stored value.
  init(_ stored: ReunionCore.Value?) {
    if let stored {
      if let value = Value(storedValue: stored) {
        self = .value(value)
      } else {
        self = stored.kind == Value.valueKind ? .unreadable : .otherType
      }
    } else {
      self = .none
    }
  }
}
