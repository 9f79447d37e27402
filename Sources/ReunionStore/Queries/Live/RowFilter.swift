import ReunionCore
import ReunionFlow

/// What tells whether a changed record matters to a live query, without the type of its records.
final class RowFilter: Sendable {
  private struct State {
    var ids: Set<RecordID> = []
  }

  let plan: QueryPlan
  let space: SpaceID
  let entity: UInt32
  /// The type of the records, by which rows are cached.
  let type: ObjectIdentifier
  /// The records that are shown.
  private let state = Lock(State())

  init<E: Entity>(_ plan: QueryPlan, _ query: Query<E>, showing result: QueryResult<E>) {
    self.plan = plan
    space = query.space
    entity = E.schema.number
    type = ObjectIdentifier(E.self)
    show(result.ids)
  }

  func show(_ ids: [RecordID]) {
    let ids = Set(ids)
    state.withLock { $0.ids = ids }
  }

  /// Whether a record is neither shown nor to be shown; its columns are nil where it is not alive.
  func passesOver(_ id: RecordID, _ values: [ColumnValue]?) -> Bool {
    if let values, plan.includes(values) { return false }
    return state.withLock { !$0.ids.contains(id) }
  }

  /// Whether all changed records are passed over, by rows that were read for other queries.
  func passesOver(_ touched: Touches, _ rows: LiveRows) -> Bool {
    guard let ids = touched.byEntity[entity]?.records else { return false }
    for id in ids {
      guard let slot = rows.slot(of: id, type, space), passesOver(id, slot.values) else {
        return false
      }
    }
    return true
  }
}
