import ReunionCore
import ReunionDisk
import ReunionFlow

/// What a closure reads of a space after each commit there, whatever it touched.
struct LiveSpace<Value: Sendable & Equatable>: LiveQuery {
  let space: SpaceID
  let variable: Variable<Value>
  /// Reads the space with its number, which is nil while nothing is held of it.
  let read: @Sendable (RecordReader, Int64?) throws(StoreError) -> Value

  var reads: [UInt32: FieldSet]? { nil }
  var filter: RowFilter? { nil }

  func refresh(
    _ touched: Touches?, _ rows: LiveRows
  ) throws(StoreError) -> (@Sendable () -> Void)? {
    let value = try read(rows.reader, try rows.reader.numbers.existingNumber(of: space))
    guard value != variable.value else { return nil }
    return { variable.value = value }
  }

  /// The value stays; `Store.liveFailure` tells.
  func fail(_ failure: StoreError) -> @Sendable () -> Void { {} }
}

extension Store {
  /// The signal of what a closure reads of a space, in one turn with the live queries.
  ///
  /// *Errors*: the first read's are thrown; where a later one fails, the value stays until the next,
  /// and `liveFailure` tells.
  func following<Value: Sendable & Equatable>(
    _ space: SpaceID,
    _ read: @escaping @Sendable (RecordReader, Int64?) throws(StoreError) -> Value
  ) throws -> Signal<Value> {
    let (value, arrival) = try readTransaction { (reader) throws(StoreError) in
      (
        try read(reader, try reader.numbers.existingNumber(of: space)),
        try reader.arrival(of: space)
      )
    }
    let variable = Variable(value)
    return follow(LiveSpace(space: space, variable: variable, read: read), shows: arrival, variable)
  }
}
