public import ReunionCore
public import ReunionDisk

/// What a store holds as of one commit: everything that is fetched from it fits together, whatever is
/// written meanwhile.
///
/// ```swift
/// let (album, photos) = try store.snapshot { snapshot in
///   (try snapshot.fetch(Album.self, id, in: space), try snapshot.fetch(photosOfAlbum))
/// }
/// ```
/// *Thread*: that of `Store.snapshot`, and only until its closure returns.
public struct Snapshot {
  private let reader: RecordReader

  fileprivate init(_ reader: RecordReader) { self.reader = reader }

  /// One record; nil if it does not exist or is deleted.
  public func fetch<E: Entity>(
    _: E.Type, _ id: RecordID, in space: SpaceID
  ) throws(StoreError) -> E? {
    try reader.layout.require(E.self)
    guard let number = try reader.numbers.existingNumber(of: space) else { return nil }
    return try reader.fetch(E.self, id, space: number)
  }

  /// The records that a query finds.
  public func fetch<E: Entity>(_ query: Query<E>) throws(StoreError) -> [E] {
    try reader.layout.require(E.self)
    guard let number = try reader.numbers.existingNumber(of: query.space) else { return [] }
    return try reader.fetch(query, space: number)
  }

  /// The answer to a query.
  public func fetch<Value>(_ query: ValueQuery<Value>) throws(StoreError) -> Value {
    try reader.fetch(query)
  }
}

extension Store {
  /// Runs a closure that sees the store as of one commit, the last one when it first fetches.
  ///
  /// *Thread*: the caller's; writes go on meanwhile. *Cost*: while it runs, what is written stays in
  /// the write-ahead log: keep it short. *Errors*: what the closure throws.
  public func snapshot<Success>(_ body: (Snapshot) throws -> Success) throws -> Success {
    var thrown: (any Error)?
    do throws(StoreError) {
      return try readTransaction { (reader) throws(StoreError) in
        do {
          return try body(Snapshot(reader))
        } catch {
          thrown = error
          throw error as? StoreError ?? StoreError(.unexpected, "The closure of a read threw.")
        }
      }
    } catch {
      throw thrown ?? error
    }
  }
}
