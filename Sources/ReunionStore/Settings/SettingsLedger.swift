import ReunionCore
import ReunionDisk

/// What is set in an account, without the values: how much room it takes, and what has changed.
struct SettingsLedger {
  struct Entry: Hashable {
    var name: String
    var byteCount: Int
    /// Tells whether the values are others.
    var digest: Int
  }

  /// The settings that changed, by name; and whether another device wrote any of what is new in them.
  struct Changes {
    var own: Set<String> = []
    var others: Set<String> = []
  }

  private(set) var entries: [RecordID: Entry] = [:]
  private(set) var usage = SettingsUsage()
  /// Whether the account has been exchanged with another replica.
  private(set) var hasSynced = false
  private var arrival: UInt64 = 0
  private var vector = VersionVector()

  /// Takes in what has arrived since; `touched` are records of which some may be gone.
  mutating func catchUp(
    _ reader: RecordReader, account: SpaceID, device: UInt64, touched: Set<RecordID> = []
  ) throws(StoreError) -> Changes {
    var changes = Changes()
    guard let space = try reader.numbers.existingNumber(of: account) else { return changes }
    var arrived: [(RecordID, RecordState)] = []
    try reader.forEach(space: space, after: arrival) { record in
      if record.key.entity == SettingSlot.entity { arrived.append((record.key.id, record.state)) }
    }
    let seen = Set(arrived.map(\.0))
    for id in touched where !seen.contains(id) && entries[id] != nil {
      let key = RecordKey(entity: SettingSlot.entity, id: id)
      arrived.append((id, try reader.record(key, space: space)?.state ?? RecordState()))
    }
    for (id, state) in arrived {
      guard let name = note(SettingCells(state), of: id) else { continue }
      let isByOthers = state.cells.contains {
        $0.dot.site.device != device && !vector.covers($0.dot)
      }
      if isByOthers { changes.others.insert(name) } else { changes.own.insert(name) }
    }
    arrival = try reader.arrival(space: space)
    vector = try reader.vector(space: space)
    if !hasSynced { hasSynced = try reader.hasPeer(space: space) }
    return changes
  }

  /// What would be taken up if these settings were set like this.
  func usage(with settings: [(RecordID, SettingCells)]) -> SettingsUsage {
    var usage = usage
    for (id, cells) in settings { usage.replace(entries[id], by: Entry(cells)) }
    return usage
  }

  /// Takes in what a setting is now; its name, where it is another than before.
  private mutating func note(_ cells: SettingCells, of id: RecordID) -> String? {
    let old = entries[id]
    let new = Entry(cells)
    guard new != old else { return nil }
    entries[id] = new
    usage.replace(old, by: new)
    return new?.name ?? old?.name
  }
}

extension SettingsLedger.Entry {
  /// Nil where the setting is not set.
  fileprivate init?(_ cells: SettingCells) {
    guard let name = cells.name else { return nil }
    self.init(name: name, byteCount: cells.byteCount, digest: cells.digest)
  }
}

extension SettingsUsage {
  fileprivate mutating func replace(_ old: SettingsLedger.Entry?, by new: SettingsLedger.Entry?) {
    keys += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
    bytes += (new?.byteCount ?? 0) - (old?.byteCount ?? 0)
  }
}

extension SettingCells {
  fileprivate var digest: Int {
    var hasher = Hasher()
    for slot in SettingSlot.allCases where isSet(slot) {
      hasher.combine(slot)
      switch slot {
      case .latest: hasher.combine(latest)
      case .first: hasher.combine(first)
      case .counter: hasher.combine(sum)
      case .union: hasher.combine(elements)
      default: hasher.combine(extreme(slot))
      }
    }
    return hasher.finalize()
  }
}

extension RecordReader {
  /// Whether a peer's push of a space was ever taken in.
  fileprivate func hasPeer(space: Int64) throws(StoreError) -> Bool {
    let statement = try connection.statement("SELECT 1 FROM reunion_peer WHERE space = ?1 LIMIT 1")
    defer { statement.reset() }
    try statement.bind(1, space)
    return try statement.step()
  }
}
