import ReunionCore
import Testing

@testable import ReunionStore

/// What a model may be: everything else is refused when a store is opened, with a sentence.
@Suite struct ModelTests {
  let folder = Folder()

  /// The sentence with which a model is refused, nil where it is not.
  private func refusal(_ model: Model) throws -> String? {
    do {
      try folder.open(model).close()
      return nil
    } catch let error as StoreError where error.code == .invalidModel {
      return error.message
    }
  }

  private func refusal<E: Entity>(_ type: E.Type) throws -> String? {
    try refusal(Model(E.schema))
  }

  // Properties

  @Test func `a stored property that the schema does not list is refused by its name`() throws {
    struct Note: Entity {
      let id: RecordID
      var title = ""
      var body = ""
      var isPinned = false
      var author: String?
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Note>(
        1, "note", [.field(1, "heading", \.title), .field(2, "body", \.author)])
    }
    let sentence = try #require(try refusal(Note.self))
    #expect(sentence.contains("Note stores \"body\", \"isPinned\", which"))
    #expect(sentence.contains("give it a field, or list it as transient"))
  }

  @Test func `what is listed as transient is allowed, and every fetch gives its default`() throws {
    struct Note: Entity {
      let id: RecordID
      var isOpen = false
      var text = ""
      var label: any CustomStringConvertible & Sendable = "none"
      let made = 7
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Note>(
        1, "note", [.field(1, "text", \.text)], transient: [\.isOpen, \.label, \.made])
    }
    let store = try folder.open(Model(Note.schema))
    try store.write(in: space) { transaction in
      try transaction.create(Note.self) {
        $0.text = "kept"
        $0.isOpen = true
        $0.label = 5
      }
    }
    let note = try #require(try store.fetch(Query<Note>(in: space)).first)
    #expect(note.text == "kept" && !note.isOpen && note.label.description == "none")
  }

  @Test func `a property of any type of a protocol is found too`() throws {
    struct Note: Entity {
      let id: RecordID
      var small: UInt8 = 1
      var label: any CustomStringConvertible & Sendable = UInt8(2)
      var text = ""
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Note>(
        1, "note", [.field(1, "text", \.text)], transient: [\.small])
    }
    #expect(try refusal(Note.self)?.contains("\"label\"") == true)
  }

  @Test func `the fields of a property's parts must be all of its parts`() throws {
    struct Place: Sendable {
      var latitude = 0.0
      var longitude = 0.0
    }
    struct Whole: Entity {
      let id: RecordID
      var place = Place()
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Whole>(
        1, "whole",
        [
          .field(1, "latitude", \.place.latitude), .field(2, "longitude", \.place.longitude),
        ])
    }
    struct Half: Entity {
      let id: RecordID
      var place = Place()
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Half>(1, "half", [.field(1, "latitude", \.place.latitude)])
    }
    #expect(try refusal(Whole.self) == nil)
    #expect(try refusal(Half.self)?.contains("\"place.longitude\"") == true)
  }

  @propertyWrapper struct Clamped: Sendable {
    private var value = 0
    var wrappedValue: Int {
      get { value }
      set { value = min(max(newValue, 0), 5) }
    }
  }

  @Test func `a computed property can be a field; what stands behind it is listed`() throws {
    struct Bare: Entity {
      let id: RecordID
      @Clamped var stars
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Bare>(1, "bare", [.field(1, "stars", \.stars)])
    }
    struct Rated: Entity {
      let id: RecordID
      @Clamped var stars
      var hundredths = 0
      var share: Double {
        get { Double(hundredths) / 100 }
        set { hundredths = Int(newValue * 100) }
      }
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Rated>(
        2, "rated", [.field(1, "stars", \.stars), .field(2, "hundredths", \.hundredths)],
        transient: [\._stars])
    }
    #expect(try refusal(Bare.self)?.contains("\"_stars\"") == true)
    let store = try folder.open(Model(Rated.schema))
    let made = try store.write(in: space) { try $0.create(Rated.self) { $0.stars = 9 } }
    #expect(try store.fetch(Rated.self, made.id, in: space)?.stars == 5)
  }

  @Test func `two fields of one property, and one that is transient too, are refused`() throws {
    struct Twice: Entity {
      let id: RecordID
      var text = ""
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Twice>(
        1, "twice", [.field(1, "text", \.text), .field(2, "words", \.text)])
    }
    struct Both: Entity {
      let id: RecordID
      var text = ""
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Both>(
        1, "both", [.field(1, "text", \.text)], transient: [\.text])
    }
    #expect(try refusal(Twice.self)?.contains("text and words of twice") == true)
    #expect(try refusal(Both.self)?.contains("transient too") == true)
  }

  @Test func `a class is refused`() throws {
    final class Shared: Entity {
      let id: RecordID
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Shared>(1, "shared", [])
    }
    #expect(try refusal(Shared.self)?.contains("is a class") == true)
  }

  // Numbers and names

  private func entity(
    _ number: UInt32, _ name: String, _ fields: [(UInt32, String)] = []
  ) -> EntityDescription {
    EntityDescription(
      number: number, name: name,
      fields: fields.map { FieldDescription(number: $0.0, name: $0.1, kind: .int) })
  }

  @Test func `numbers out of range and numbers that are taken are told apart`() throws {
    func sentence(_ entities: EntityDescription...) throws -> String {
      try #require(try refusal(Model(entities: entities)))
    }
    let note = entity(1, "note")
    #expect(try sentence(entity(0, "note")).contains("is out of range"))
    #expect(try sentence(note, entity(1, "other")).contains("is taken"))
    #expect(try sentence(entity(1, "note", [(0, "a")])).contains("is out of range"))
    #expect(try sentence(entity(1, "note", [(16_777_217, "a")])).contains("is out of range"))
    #expect(try sentence(entity(1, "note", [(1, "a"), (1, "b")])).contains("is taken"))
    #expect(try sentence(note, entity(2, "NOTE")).contains("rename one"))
  }

  /// docs/protocol.md 2.13.
  @Test func `the library's own numbers and names are refused, with what an app may take`() throws {
    for number in [16_777_200, 16_777_201, 16_777_202, 16_777_216, UInt32.max] {
      let sentence = try #require(try refusal(Model(entities: [entity(number, "mine")])))
      #expect(sentence.contains("is the library's own: give it one from 1 to 16777199"))
    }
    for name in ["reunion_member", "Reunion_x", "sqlite_x", "", "a\0b"] {
      let sentence = try #require(try refusal(Model(entities: [entity(1, name)])))
      #expect(sentence.contains("cannot be used"))
    }
    #expect(
      try refusal(Model(entities: [entity(16_777_202, "member")]))?.contains("the library's own")
        == true)
  }

  @Test func `every number and name beside those is allowed`() throws {
    let fields: [(UInt32, String)] = [(1, "a"), (16_777_216, "z")]
    #expect(
      try refusal(
        Model(entities: [
          entity(1, "invitation", fields), entity(101, "member", fields),
          entity(102, "feed", fields), entity(16_777_199, "reunion", fields),
        ])) == nil)
  }

  // Spaces

  @Test func `a query of another space is an error in a write`() throws {
    let store = try folder.open()
    let other = SpaceID(high: 9, low: 9)
    try store.write(in: other) { try $0.create(Heart.self) { _ in } }
    #expect(
      isCode(.otherSpace) {
        try store.write(in: space) { transaction in
          try transaction.create(Heart.self) { _ in }
          _ = try transaction.fetch(Query<Heart>(in: other))
        }
      })
    #expect(
      isCode(.otherSpace) {
        try store.write(in: space) { _ = try $0.fetch(Query<Heart>(in: other).count()) }
      })
    #expect(try store.fetch(Query<Heart>(in: space)).isEmpty)
    let found = try store.write(in: space) { transaction in
      try transaction.create(Heart.self) { _ in }
      return try transaction.fetch(Query<Heart>(in: space)).count
    }
    #expect(found == 1)
  }

  // Limits

  private struct Note: Entity {
    let id: RecordID
    var title = ""
    var tags: [UInt8] = []
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Note>(
      1, "note", [.field(1, "title", \.title, bytesMax: 8), .field(2, "tags", \.tags, bytesMax: 4)])
  }

  @Test func `a value is no longer than the model says, by whatever way it is written`() throws {
    let store = try folder.open(Model(Note.schema))
    let note = try store.write(in: space) { try $0.create(Note.self) { $0.title = "12345678" } }
    func fails(_ body: (WriteTransaction) throws -> Void) {
      #expect {
        try store.write(in: space) { try body($0) }
      } throws: {
        ($0 as? StoreError)?.code == .valueTooLarge && "\($0)".contains("allows 8")
      }
    }
    fails { try $0.create(Note.self) { $0.title = "éééé!" } }
    fails { try $0.set(\Note.title, of: note.id, to: "123456789") }
    fails {
      var long = note
      long.title = "123456789"
      try $0.update(long)
    }
    #expect(try store.fetch(Query<Note>(in: space)).map(\.title) == ["12345678"])
    // Those who may change everything bring what an earlier model allowed, and a guest does not.
    let wide = Folder()
    let other = try wide.open(
      Model(entities: [
        EntityDescription(
          number: 1, name: "note",
          fields: [FieldDescription(number: 1, name: "title", kind: .text)])
      ]))
    try other.write(in: space) {
      try $0.set(field: 1, of: RecordID(high: 9, low: 9), entity: 1, to: .text("123456789"))
    }
    let changes = try other.window(
      in: space, Conversation.Reading(after: 0), bytesMax: .max
    ).changes
    let vector = try other.vector(of: space)
    let guest = try store.take(
      changes, vector, from: other.site, authority: .own(device: other.site.device))
    #expect(guest.refusedCount == 1)
    try store.answerRefusals(of: other.site, upTo: .max, in: space)
    try store.take(changes, vector, from: other.site)
    #expect(try store.fetch(Note.self, RecordID(high: 9, low: 9), in: space)?.title == "123456789")
  }

  @Test func `a description has what a field begins with, where that is always the same`() {
    struct Page: Entity {
      let id: RecordID
      var title = "Untitled"
      var number = 1
      var scale = 0.5
      var isNew = true
      var key = "\(UInt64.random(in: 0 ... .max))"
      var note: String? = "none"
      var bytes: [UInt8] = [1]
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Page>(
        1, "page",
        [
          .field(1, "title", \.title), .field(2, "number", \.number), .field(3, "scale", \.scale),
          .field(4, "isNew", \.isNew), .field(5, "key", \.key), .field(6, "note", \.note),
          .field(7, "bytes", \.bytes),
        ])
    }
    let initials = EntityDescription(Page.schema).fields.map(\.initial)
    #expect(
      initials == [.text("Untitled"), .int(1), .double(0.5), .bool(true), .null, .null, .null])
  }

  @Test func `a property that begins otherwise than the model's file says is refused`() throws {
    struct Page: Entity {
      let id: RecordID
      var title = "Untitled"
      init(id: RecordID) { self.id = id }
      static func begins(as initial: Value) -> EntitySchema<Page> {
        EntitySchema<Page>(1, "page", [.field(1, "title", \.title, initial: initial)])
      }
      static let schema = begins(as: .text("Nameless"))
    }
    let said = try refusal(Model(Page.schema))
    #expect(said?.hasPrefix("page.title begins as ") == true, "\(said ?? "")")
    #expect(try refusal(Model(Page.begins(as: .text("Untitled")))) == nil)
  }

  @Test func `a limit stands where it can be kept`() throws {
    for (kind, bytesMax) in [(ValueKind.int, 8), (.text, 0), (.bytes, 512 * 1024 + 1)] {
      let field = FieldDescription(number: 1, name: "a", kind: kind, bytesMax: bytesMax)
      let model = Model(entities: [EntityDescription(number: 1, name: "note", fields: [field])])
      #expect(try refusal(model)?.contains("The limit of note.a is \(bytesMax) bytes") == true)
    }
  }
}
