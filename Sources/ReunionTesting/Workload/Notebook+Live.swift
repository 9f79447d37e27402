import ReunionCore
import ReunionFlow
import ReunionStore

extension Notebook {
  /// A live query equals a re-query (guarantee 14): one with a limit, at every replica.
  static func livePromise() -> WorldPromise {
    WorldPromise("a live query shows what a fetch does") {
      let watches = Lock<[Watch]>([])
      return { store, space in try isShown(in: store, space, watches) }
    }
  }

  private static func isShown(
    in store: Store, _ space: SpaceID, _ watches: Lock<[Watch]>
  ) throws -> Bool {
    guard store.model.entities.count == models[0].entities.count else { return true }
    let query = Query<Note>(in: space).sorted(by: \.title).limit(3)
    let known = watches.withLock { watches in watches.first { $0.store === store } }
    let watch = try known ?? Watch(store: store, result: store.liveResult(of: query))
    if known == nil {
      watches.withLock { watches in
        // Those of stores that are closed by now are at its beginning.
        if watches.count == Watch.countMax { watches.removeFirst() }
        watches.append(watch)
      }
    }
    let shown = watch.result.value
    // What a failing disk kept it from reading it says; the next commit has it read again.
    if shown.failure != nil { return true }
    return try shown.elements.map(\.id) == store.fetch(query).map(\.id)
  }

  private struct Watch {
    /// As many as a world has replicas.
    static let countMax = 8

    let store: Store
    let result: Signal<QueryResult<Note>>
  }
}
