import ReunionCore
package import ReunionStore

/// The app of the library's own simulations: a field of every kind, several entities, and an older
/// model that does not know all of them.
package enum Notebook {
  /// A note, with a field of every kind.
  struct Note: Entity, Equatable {
    let id: RecordID
    var title = ""
    var body = ""
    var weight = 0.0
    var size: Int64 = 0
    var bytes: [UInt8] = []
    var next: RecordID?
    var reads = Counter()
    var tags: Set<String> = []
    var lines: OrderedList<String> = []
    var file: BlobReference?

    init(id: RecordID) { self.id = id }

    static let schema = EntitySchema<Note>(
      1, "note",
      [
        .field(1, "title", \.title), .field(2, "body", \.body), .field(3, "weight", \.weight),
        .field(4, "size", \.size), .field(5, "bytes", \.bytes), .field(6, "next", \.next),
        .field(7, "reads", \.reads), .field(8, "tags", \.tags), .field(9, "lines", \.lines),
        .field(10, "file", \.file),
      ])
  }

  /// The note of an earlier build.
  struct EarlyNote: Entity {
    let id: RecordID
    var title = ""
    var body = ""

    init(id: RecordID) { self.id = id }

    static let schema = EntitySchema<EarlyNote>(
      1, "note", [.field(1, "title", \.title), .field(2, "body", \.body)])
  }

  /// A second entity, which the earlier build does not know.
  struct Mark: Entity {
    let id: RecordID
    var note: RecordID?
    var isDone = false

    init(id: RecordID) { self.id = id }

    static let schema = EntitySchema<Mark>(
      2, "mark", [.field(1, "note", \.note), .field(2, "is done", \.isDone)])
  }

  /// The newest model, the one before, and that of a relay that has none of the app's types.
  package static let models = [
    Model(Note.schema, Mark.schema), Model(EarlyNote.schema), Model(entities: []),
  ]

  /// The simulation of this app. Where it `erases`, there are no guests, who may not.
  package static func simulation(
    hazards: Hazards = .all, seededBugs: SeededBugs = SeededBugs(), attaches: Bool = true,
    erases: Bool = false
  ) -> Simulation {
    let actions = erases ? actionsWithErasure : actions
    var simulation = Simulation(
      models: models, actions: actions.filter { attaches || $0.name != "attach" })
    simulation.promises = [livePromise()]
    simulation.hazards = erases ? hazards.subtracting(.guests) : hazards
    simulation.seededBugs = seededBugs
    return simulation
  }
}
