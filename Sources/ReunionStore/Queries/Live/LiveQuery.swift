import ReunionCore
import ReunionDisk
import ReunionFlow

/// A query with the variable that shows what it finds.
protocol LiveQuery: Sendable {
  var space: SpaceID { get }
  /// The fields that it reads, by entity; nil where it reads its space after each commit there.
  var reads: [UInt32: FieldSet]? { get }
  /// What tells which changed records matter; nil where any may.
  var filter: RowFilter? { get }

  /// Brings it up to date with the rows' snapshot, and returns what shows it; nil where it shows the
  /// same as before. `touched` is what has changed in its space since; nil where that is not known, as
  /// after a failure.
  func refresh(
    _ touched: Touches?, _ rows: LiveRows
  ) throws(StoreError) -> (@Sendable () -> Void)?

  /// What shows that it could not be brought up to date.
  func fail(_ failure: StoreError) -> @Sendable () -> Void
}

/// A live query that runs again.
struct LiveValue<Value: Sendable>: LiveQuery {
  let query: ValueQuery<Value>
  let reads: [UInt32: FieldSet]?
  let variable: Variable<QueryAnswer<Value>>

  var space: SpaceID { query.space }
  var filter: RowFilter? { nil }

  func refresh(
    _ touched: Touches?, _ rows: LiveRows
  ) throws(StoreError) -> (@Sendable () -> Void)? {
    var answer = QueryAnswer(try rows.reader.fetch(query))
    let shown = variable.value
    let isSame = query.isSame(shown.value, answer.value)
    guard !isSame || shown.failure != nil else { return nil }
    if isSame { answer.value = shown.value }
    answer.revision = shown.revision + (isSame ? 0 : 1)
    return { [answer] in variable.value = answer }
  }

  func fail(_ failure: StoreError) -> @Sendable () -> Void {
    { variable.update { $0.failure = failure } }
  }
}

/// A live query for records of one entity: it looks at those that have changed.
struct LiveRecords<E: Entity>: LiveQuery {
  /// Where more have changed, it runs again.
  static var changedMax: Int { 256 }

  let query: Query<E>
  let reads: [UInt32: FieldSet]?
  let window: Lock<QueryWindow<E>>
  let filter: RowFilter?
  let variable: Variable<QueryResult<E>>

  var space: SpaceID { query.space }

  func refresh(
    _ touched: Touches?, _ rows: LiveRows
  ) throws(StoreError) -> (@Sendable () -> Void)? {
    let changed = try changed(touched, rows)
    if let changed, changed.isEmpty { return nil }
    let shown = window.withLock { $0 }
    guard let next = try taking(changed, into: shown, rows) else { return nil }
    let published = variable.value
    let isSame = next.result.isSame(as: shown.result)
    var result = next.result
    result.revision = published.revision + (isSame ? 0 : 1)
    return { [result] in
      window.withLock { $0 = next }
      filter?.show(result.ids)
      if !isSame || published.failure != nil { variable.value = result }
    }
  }

  func fail(_ failure: StoreError) -> @Sendable () -> Void {
    { variable.update { $0.failure = failure } }
  }

  /// The records that changed and that matter; nil if nobody knows them, or there are too many.
  private func changed(
    _ touched: Touches?, _ rows: LiveRows
  ) throws(StoreError) -> [(id: RecordID, row: LiveRow<E>?)]? {
    guard let records = touched?.byEntity[E.schema.number]?.records,
      records.count <= Self.changedMax
    else { return nil }
    var changed: [(id: RecordID, row: LiveRow<E>?)] = []
    for id in records {
      let row = try rows.row(E.self, id, in: query.space)
      if filter?.passesOver(id, row?.values) != true { changed.append((id, row)) }
    }
    return changed
  }

  /// The window with the changes; nil where nothing has changed in it.
  private func taking(
    _ changed: [(id: RecordID, row: LiveRow<E>?)]?, into shown: QueryWindow<E>, _ rows: LiveRows
  ) throws(StoreError) -> QueryWindow<E>? {
    guard let changed else { return try rows.reader.window(query, shown.plan) }
    var next = shown
    var hasChanged = false
    for (id, row) in changed {
      switch next.take(row, id) {
      case .same: continue
      case .changed: hasChanged = true
      case .mustRefill: return try rows.reader.window(query, shown.plan)
      }
    }
    return hasChanged ? next : nil
  }
}

extension RecordReader {
  /// What a query shows as of now.
  func window<E: Entity>(
    _ query: Query<E>, _ plan: QueryPlan
  ) throws(StoreError) -> QueryWindow<E> {
    let statement = try prepared(
      QueryText.records(query, layout), space: try numbers.existingNumber(of: query.space))
    defer { statement.reset() }
    var rows: [LiveRow<E>] = []
    while try statement.step() { rows.append(try liveRow(statement, plan)) }
    return QueryWindow(plan, rows: rows)
  }

  /// The row that a statement stands on; only the columns that the order goes by are kept.
  private func liveRow<E: Entity>(
    _ statement: Statement, _ plan: QueryPlan
  ) throws(StoreError) -> LiveRow<E> {
    var values: [ColumnValue] = []
    if !plan.orders.isEmpty {
      values = [ColumnValue](repeating: .null, count: E.schema.fields.count)
      for order in plan.orders {
        values[order.field] = ColumnValue(statement, Int32(order.field + 1))
      }
    }
    let (record, arrival): (E, UInt64) = try record(statement)
    return LiveRow(values: values, record: record, arrival: arrival)
  }
}
