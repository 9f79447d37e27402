public import ReunionCore
public import ReunionDisk

/// What a store holds as of one commit: everything that is fetched from it fits together, whatever
/// is written meanwhile.
///
/// ```swift
/// let (album, photos) = try store.snapshot { snapshot in
///   (
///     try snapshot.fetch(Album.self, album.id, in: space),
///     try snapshot.fetch(Query<Photo>(in: space).filter(\.album == album))
///   )
/// }
/// print(album?.name ?? "", photos.count)
/// ```
/// *Thread*: that of `Store.snapshot(_:)`, and only until its closure returns. Do not keep it:
/// nothing finds out that you do, and what it reads then is any commit's.
public struct Snapshot {
  private let reader: RecordReader

  fileprivate init(_ reader: RecordReader) { self.reader = reader }

  /// One record; nil if it does not exist or is deleted.
  ///
  /// - Throws: `invalidModel` for an entity that the store's model lacks, `damaged`, `ioFailed`.
  public func fetch<E: Entity>(
    _: E.Type, _ id: RecordID, in space: SpaceID
  ) throws(StoreError) -> E? {
    try reader.layout.require(E.self)
    guard let number = try reader.numbers.existingNumber(of: space) else { return nil }
    return try reader.fetch(E.self, id, space: number)
  }

  /// The records that a query finds, of whichever space: a snapshot is of the whole store.
  ///
  /// - Throws: as `Store.fetch(_:)`.
  public func fetch<E: Entity>(_ query: Query<E>) throws(StoreError) -> [E] {
    try reader.layout.require(E.self)
    guard let number = try reader.numbers.existingNumber(of: query.space) else { return [] }
    return try reader.fetch(query, space: number)
  }

  /// The answer to a query, such as a count that fits the records beside it.
  ///
  /// - Throws: as `Store.fetch(_:)`.
  public func fetch<Value>(_ query: ValueQuery<Value>) throws(StoreError) -> Value {
    try reader.fetch(query)
  }
}

extension Store {
  /// Runs a closure that sees the store as of one commit, the last one when it first fetches.
  ///
  /// ```swift
  /// let photos = Query<Photo>(in: space)
  /// let share = try store.snapshot { snapshot in
  ///   let hidden = try snapshot.fetch(photos.filter(\.isHidden).count())
  ///   return (hidden, try snapshot.fetch(photos.count()))
  /// }
  /// print("Hidden: \(share.0) of \(share.1)")
  /// ```
  /// Two calls of `fetch` may be of two commits; two fetches of a snapshot never are.
  ///
  /// *Thread*: the caller's; writes go on meanwhile, and are not seen. The closure may write by the
  /// store, and does not see that either. *Cost*: while it runs, what is written stays in the
  /// write-ahead log: keep it short.
  /// - Parameter body: what reads.
  /// - Returns: what the closure returns.
  /// - Throws: what the closure throws; `closed`, and errors of the disk.
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
