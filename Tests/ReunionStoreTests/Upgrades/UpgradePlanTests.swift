import FoundationEssentials
import ReunionCore
import Testing

@testable import ReunionStore

/// What opening a store with another model does is a value, which tells it before.
@Suite struct UpgradePlanTests {
  private let film = Versions.film
  private let person = Versions.person
  private let ticket = Versions.ticket

  private func subject(_ entity: UInt32, _ name: String) -> UpgradeSubject {
    UpgradeSubject(entity, name)
  }

  private func subject(
    _ entity: UInt32, _ name: String, _ field: UInt32, _ fieldName: String
  ) -> UpgradeSubject { UpgradeSubject(entity, name, field: field, fieldName) }

  @Test func `says step by step what each version does, and opening does that`() throws {
    let folder = Folder()
    var store = try folder.open(Versions.models[0])
    #expect(store.upgradeReport == nil)
    try Versions.fill(store, 5)
    try store.close()
    let expected: [[UpgradeStep]] = [
      [
        .addField(subject(film, "film", 3, "poster"), kind: .blob),
        .takeIn(subject(film, "film"), records: 5),
        .addEntity(subject(person, "person")),
        .addField(subject(person, "person", 1, "name"), kind: .text),
        .addField(subject(person, "person", 2, "film"), kind: .reference),
        .takeIn(subject(person, "person"), records: 5),
        .indexWords(subject(film, "film"), fields: ["title"]),
      ],
      [
        .addField(subject(film, "movie", 4, "seen"), kind: .counter),
        .takeIn(subject(film, "movie"), records: 5),
        .rename(subject(film, "movie"), from: "film"),
        .hide(subject(film, "movie", 2, "year")),
        .rename(subject(person, "person", 1, "full name"), from: "person.name"),
        .begin(subject(person, "person", 1, "full name"), with: .text("nobody")),
        .dropWords(subject(film, "movie")),
      ],
      [
        .addField(subject(film, "movie", 5, "tags"), kind: .set),
        .takeIn(subject(film, "movie"), records: 5),
        .addEntity(subject(ticket, "ticket")),
        .addField(subject(ticket, "ticket", 1, "film"), kind: .reference),
        .addField(subject(ticket, "ticket", 2, "price"), kind: .double),
        .takeIn(subject(ticket, "ticket"), records: 5),
        .show(subject(film, "movie", 2, "year")),
        .rename(subject(film, "movie", 3, "picture"), from: "movie.poster"),
        .hideEntity(subject(person, "person"), records: 5, references: 0),
      ],
    ]
    for (model, steps) in zip(Versions.models.dropFirst(), expected) {
      let plan = try Store.plan(folder: folder.path, model: model)
      #expect(plan.steps == steps)
      #expect(plan.touchesRows)
      store = try folder.open(model)
      #expect(store.upgradeReport?.steps == steps)
      try store.close()
      #expect(try Store.plan(folder: folder.path, model: model).steps == [])
      store = try folder.open(model)
      #expect(store.upgradeReport == nil)
      try store.close()
    }
    // The way back, over all versions at once.
    let back = try Store.plan(folder: folder.path, model: Versions.models[0])
    #expect(!back.touchesRows)
    #expect(
      back.steps == [
        .rename(subject(film, "film"), from: "movie"),
        .hide(subject(film, "film", 3, "picture")), .hide(subject(film, "film", 4, "seen")),
        .hide(subject(film, "film", 5, "tags")),
        .hideEntity(subject(ticket, "ticket"), records: 5, references: 0),
      ])
  }

  @Test func `references to a removed entity are kept, counted and said`() throws {
    let folder = Folder()
    var store = try folder.open(Versions.models[1])
    try Versions.fill(store, 4)
    try store.close()
    let gone = Model(entities: Versions.models[1].entities.filter { $0.number == person })
    let plan = try Store.plan(folder: folder.path, model: gone)
    #expect(
      plan.steps.contains(
        .hideEntity(subject(film, "film"), records: 4, references: 4)))
    #expect(
      plan.description.contains(
        "hide the entity film (1); 4 records of it and 4 references to them stay"))
    store = try folder.open(gone)
    #expect(try store.number("SELECT count(film) FROM person") == 4)
    try store.close()
    store = try folder.open(Versions.models[1])
    #expect(
      try store.number("SELECT count(*) FROM person p JOIN film f ON f.id = p.film") == 4)
  }

  @Test func `tells what it would do to a store that is in use, and writes nothing`() throws {
    let folder = Folder()
    let store = try folder.open(Versions.models[0])
    try Versions.fill(store, 3)
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
    let bytes = try Data(contentsOf: URL(filePath: folder.database))
    let plan = try Store.plan(folder: folder.path, model: Versions.models[3])
    #expect(plan.steps.count == 9)
    #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == files)
    #expect(try Data(contentsOf: URL(filePath: folder.database)) == bytes)
    #expect(
      isCode(.notFound) {
        _ = try Store.plan(folder: folder.path + "/none", model: Versions.models[0])
      })
    #expect(
      isCode(.invalidModel) {
        let wrong = EntityDescription(
          number: 1, name: "film",
          fields: [FieldDescription(number: 1, name: "title", kind: .int)])
        _ = try Store.plan(folder: folder.path, model: Model(entities: [wrong]))
      })
    try store.close()
  }

  @Test func `is read by a person`() throws {
    let folder = Folder()
    let store = try folder.open(Versions.models[0])
    try Versions.fill(store, 1)
    try store.close()
    #expect(
      try Store.plan(folder: folder.path, model: Versions.models[1]).description == """
        - add the field film.poster (1.3, blob)
        - take in what was unknown of film: 1 record
        - add the entity person (2)
        - add the field person.name (2.1, text)
        - add the field person.film (2.2, reference)
        - take in what was unknown of person: 1 record
        - index the words of film: title
        Some steps write to records: a snapshot is kept, and all is compared before it counts.
        """)
    #expect(
      try Store.plan(folder: folder.path, model: Versions.models[0]).description
        == "Nothing is to be done.")
  }

  @Test func `a tool without a model leaves hidden fields, defaults and words as they are`() throws
  {
    let folder = Folder()
    for model in [1, 2, 1] {
      var store = try folder.open(Versions.models[model])
      if model == 1, try store.vector(of: space).entries.isEmpty { try Versions.fill(store) }
      let views = "SELECT sql FROM sqlite_schema WHERE type IN ('view', 'table') ORDER BY name"
      let before = try store.rows(views)
      try store.close()
      store = try Store.open(existing: folder.path)
      #expect(store.upgradeReport == nil)
      #expect(try store.rows(views) == before)
      try store.close()
    }
  }

  @Test func `numbers are grouped as people write them`() {
    #expect(4212.grouped == "4,212" && 999.grouped == "999" && 1_000_000.grouped == "1,000,000")
    #expect(1.grouped("blob") == "1 blob" && 0.grouped("blob") == "0 blobs")
    #expect((-4212).grouped == "-4,212")
  }
}
