public import ReunionCore
public import ReunionFlow
public import ReunionStore

extension Replica {
  /// A receipt for all that this device has written in a space so far: it tells whether that is on the server, and
  /// on how many other devices.
  ///
  /// ```swift
  /// try await replica.write(in: space) { try $0.create(Photo.self) { $0.caption = "Harbour" } }
  /// try await replica.receipt(in: space).reached(.server)
  /// ```
  /// *Cost*: two rows. Keep it for as long as you show it.
  /// - Throws: `StoreError` `closed`, `damaged`, `ioFailed`.
  public func receipt(in space: SpaceID) throws -> Receipt {
    try standingWatch(in: space).receipt()
  }

  /// A receipt for a record as it is now, whoever wrote it; nil if nothing is known of it.
  ///
  /// Devices that are away may be counted late, where others wrote to it: never too early.
  /// - Throws: `StoreError` `closed`, `damaged`, `ioFailed`.
  public func receipt<E: Entity>(for record: E, in space: SpaceID) throws -> Receipt? {
    try receipt(store.makeup(of: record.id, entity: E.schema.number, in: space), in: space)
  }

  /// A receipt for a blob's bytes and for the records that name it now; nil if no living record of the space does.
  ///
  /// - Throws: `StoreError` `closed`, `damaged`, `ioFailed`.
  public func receipt(for blob: BlobReference, in space: SpaceID) throws -> Receipt? {
    try receipt(store.makeup(of: blob.hash, in: space), in: space)
  }

  private func receipt(_ makeup: Makeup?, in space: SpaceID) throws -> Receipt? {
    guard let makeup else { return nil }
    let device = store.device(in: space)
    return try standingWatch(in: space).receipt(
      for: makeup.dots, at: makeup.arrival,
      isOwn: makeup.dots.allSatisfy { $0.site.device == device }, blobs: makeup.blobs)
  }

  /// What of a space is still to go to the server, and who else has it; live, about once a second.
  ///
  /// *Cost*: after each change a look at the records that are still to go.
  /// - Throws: `StoreError` `closed` if the replica is closed.
  public func standing(in space: SpaceID) throws -> Signal<Standing> {
    try standingWatch(in: space).all()
  }

  /// What keeps it for a space; the same at each call.
  package func standingWatch(in space: SpaceID) throws -> StandingWatch {
    let watches = try attachment { () throws -> StandingWatches in
      let watches = StandingWatches()
      try whenClosing { watches.close() }
      return watches
    }
    return watches.watch(of: space) {
      StandingWatch(of: space, in: store, clock: clock, execute: executor)
    }
  }
}

/// What stands where in each space of a replica.
private final class StandingWatches: Sendable {
  private let spaces = Lock<[SpaceID: StandingWatch]>([:])

  func watch(of space: SpaceID, _ make: () -> StandingWatch) -> StandingWatch {
    spaces.withLock { spaces in
      if let known = spaces[space] { return known }
      let made = make()
      spaces[space] = made
      return made
    }
  }

  func close() {
    for watch in spaces.withLock({ Array($0.values) }) { watch.close() }
  }
}
