import ReunionCore
import ReunionStore

/// All that a store holds of a space at one moment, as it says itself.
struct Holdings {
  let vector: VersionVector
  let states: [RecordPlace: RecordState]

  init(_ store: Store, _ space: SpaceID) throws {
    var cells: [RecordPlace: [Cell]] = [:]
    let held = try store.changes(in: space)
    vector = held.vector
    for change in held.changes { cells[RecordPlace(change), default: []].append(change.cell) }
    states = cells.mapValues { RecordState($0) }
  }

  /// What it knows to be erased for good.
  var erased: Set<RecordPlace> {
    Set(
      states.flatMap { place, state in
        state.cells.compactMap { cell in
          Change(entity: place.entity, record: place.id, cell: cell).erased.map {
            RecordPlace(entity: $0.entity, id: $0.record)
          }
        }
      })
  }

  /// What equal replicas have equal: a leaf may lack the values of the deleted.
  var standing: [RecordPlace: RecordState] { states.mapValues(\.standing) }

  func state(_ place: RecordPlace) -> RecordState { states[place] ?? RecordState() }
}
