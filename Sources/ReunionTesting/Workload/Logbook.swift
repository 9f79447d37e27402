import ReunionCore
package import ReunionStore

/// An app over the years: a ship's log in four versions, whose devices are never of one version.
package enum Logbook {
  /// What the first version writes.
  struct Entry1: Entity {
    let id: RecordID
    var title = ""
    var miles: Int64 = 0
    var place = ""

    init(id: RecordID) { self.id = id }

    static let schema = EntitySchema<Entry1>(
      1, "entry",
      [.field(1, "title", \.title), .field(2, "miles", \.miles), .field(3, "place", \.place)])
  }

  /// The second version gives the title another name, and adds fields and an entity.
  struct Entry2: Entity {
    let id: RecordID
    var heading = ""
    var miles: Int64 = 0
    var place = ""
    var mood = "calm"
    var photo: BlobReference?
    var stars = 0

    init(id: RecordID) { self.id = id }

    static let schema = EntitySchema<Entry2>(
      1, "entry",
      [
        .field(1, "heading", \.heading), .field(2, "miles", \.miles),
        .field(3, "place", \.place), .field(4, "mood", \.mood, .searchable),
        .field(5, "photo", \.photo), .field(6, "stars", \.stars),
      ])
  }

  /// A sailor who was on board; the last version hides this entity.
  struct Sailor: Entity {
    let id: RecordID
    var name = ""
    var entry: RecordID?

    init(id: RecordID) { self.id = id }

    static let schema = EntitySchema<Sailor>(
      2, "sailor", [.field(1, "name", \.name), .field(2, "entry", \.entry)])
  }

  /// The third version hides the mood, has metres for miles, and adds collections.
  struct Entry3: Entity {
    let id: RecordID
    var heading = ""
    var metres: Int64 = 0
    var place = ""
    var photo: BlobReference?
    var stars = 0
    var reads = Counter()
    var tags: Set<String> = []

    init(id: RecordID) { self.id = id }

    static let schema = EntitySchema<Entry3>(
      1, "entry",
      [
        .field(1, "heading", \.heading, .searchable), .field(10, "metres", \.metres),
        .field(3, "place", \.place), .field(5, "photo", \.photo), .field(6, "stars", \.stars),
        .field(7, "reads", \.reads), .field(8, "tags", \.tags),
      ],
      lenses: [.retype(OldField(2, Int64.self), to: \.metres, by: .times(1852))])
  }

  /// The fourth version cuts the place in two, has a fraction of stars, and fills in who wrote.
  struct Entry4: Entity {
    let id: RecordID
    var heading = ""
    var metres: Int64 = 0
    var town = ""
    var sea = ""
    var initial = ""
    var mood = ""
    var photo: BlobReference?
    var stars = 0.0
    var reads = Counter()
    var tags: Set<String> = []
    var lines: OrderedList<String> = []

    init(id: RecordID) { self.id = id }

    static let schema = EntitySchema<Entry4>(
      1, "entry",
      [
        .field(1, "heading", \.heading, .searchable), .field(10, "metres", \.metres),
        .field(11, "town", \.town, .searchable), .field(12, "sea", \.sea),
        .field(13, "initial", \.initial), .field(4, "mood", \.mood), .field(5, "photo", \.photo),
        .field(6, "stars", \.stars), .field(7, "reads", \.reads), .field(8, "tags", \.tags),
        .field(9, "lines", \.lines),
      ],
      lenses: [
        .retype(OldField(2, Int64.self), to: \.metres, by: .times(1852)),
        .split(OldField(3, String.self), to: \.town, \.sea, by: .separator(", ")),
        .fill(\.initial, from: OldField(1, String.self), by: initial),
      ])

    private static let initial = Conversion.custom("initial, 1") { (heading: String) -> String? in
      String(heading.prefix(1))
    }
  }

  /// A port, which the fourth version adds.
  struct Port: Entity {
    let id: RecordID
    var name = ""

    init(id: RecordID) { self.id = id }

    static let schema = EntitySchema<Port>(3, "port", [.field(1, "name", \.name)])
  }

  /// The newest model first.
  package static let models = [
    Model(Entry4.schema, Port.schema), Model(Entry3.schema, Sailor.schema),
    Model(Entry2.schema, Sailor.schema), Model(Entry1.schema),
  ]

  /// What may happen while devices are upgraded: everything but members who may not do everything.
  package static let hazards: Hazards = [
    .upgrades, .cuts, .badNetworks, .partitions, .kills, .powerCuts, .diskErrors, .clocks, .sleep,
    .leaves, .clones, .restores,
  ]

  /// The simulation of this app.
  package static func simulation(
    hazards: Hazards = hazards, seededBugs: SeededBugs = SeededBugs()
  ) -> Simulation {
    var simulation = Simulation(models: models, actions: actions)
    simulation.shown = shown
    simulation.hazards = hazards
    simulation.seededBugs = seededBugs
    return simulation
  }
}
