import ReunionCore

/// What a live query shows, kept equal to a re-query by taking in changed records one at a time.
///
/// With a limit it holds the first records only; where one of them leaves and nobody here knows who
/// follows, it must be filled anew.
struct QueryWindow<E: Entity>: Sendable {
  let plan: QueryPlan
  private(set) var result = QueryResult<E>()
  /// What each record is sorted by; none where only ids order them.
  private var keys: [RecordID: [ColumnValue]] = [:]
  /// Whether it holds every record that meets the condition.
  private var isComplete: Bool

  /// Takes rows in their order.
  init(_ plan: QueryPlan, rows: [LiveRow<E>]) {
    self.plan = plan
    isComplete = plan.limit.map { rows.count < $0 } ?? true
    for row in rows { insert(row, plan.key(row.values), at: result.count) }
  }

  /// What taking in a record did; `changed` also where only what is not shown has.
  enum Outcome { case same, changed, mustRefill }

  /// Takes in a record's present state, nil where it is not alive.
  mutating func take(_ row: LiveRow<E>?, _ id: RecordID) -> Outcome {
    let held = index(of: id)
    guard let row, plan.includes(row.values) else {
      guard let held else { return .same }
      remove(id, at: held)
      return isShort ? .mustRefill : .changed
    }
    let key = plan.key(row.values)
    if let held {
      if keys[id] ?? [] == key {
        let version = QueryResult<E>.Version(record: row.arrival)
        return result.replace(at: held, with: row.record, version) ? .changed : .same
      }
      remove(id, at: held)
    }
    let index = position(of: key, id)
    if index == result.count, !isComplete {
      // Whether it follows next, or another one that is not held here, nobody knows.
      return isShort ? .mustRefill : held == nil ? .same : .changed
    }
    insert(row, key, at: index)
    if let limit = plan.limit, result.count > limit {
      remove(result.ids[limit], at: limit)
      isComplete = false
    }
    return .changed
  }

  private var isShort: Bool {
    guard !isComplete, plan.isRefilled, let limit = plan.limit else { return false }
    return result.count < limit
  }

  private mutating func insert(_ row: LiveRow<E>, _ key: [ColumnValue], at index: Int) {
    let version = QueryResult<E>.Version(record: row.arrival)
    result.insert(row.record, row.record.id, version, at: index)
    if !plan.orders.isEmpty { keys[row.record.id] = key }
  }

  private mutating func remove(_ id: RecordID, at index: Int) {
    result.remove(at: index)
    keys[id] = nil
  }

  private func index(of id: RecordID) -> Int? {
    var key: [ColumnValue] = []
    if !plan.orders.isEmpty {
      guard let held = keys[id] else { return nil }
      key = held
    }
    let index = position(of: key, id)
    return index < result.count && result.ids[index] == id ? index : nil
  }

  /// Where a record of a key stands or would stand.
  private func position(of key: [ColumnValue], _ id: RecordID) -> Int {
    var (low, high) = (0, result.count)
    while low < high {
      let middle = (low + high) / 2
      let other = result.ids[middle]
      if plan.isOrdered((keys[other] ?? [], other), before: (key, id)) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
