import ReunionCore

@testable import ReunionStore

/// A film in some version of a model, with what it shows.
protocol Shown: Entity {
  /// What its fields show, of a double the bits.
  var words: [String] { get }
}

extension Shown {
  static func create(_ id: RecordID, _ transaction: WriteTransaction) throws {
    try transaction.create(Self(id: id))
  }

  static func delete(_ id: RecordID, _ transaction: WriteTransaction) throws {
    try transaction.delete(Self.self, id)
  }

  /// What a living record shows; nil of another.
  static func words(_ id: RecordID, _ store: Store, _ space: SpaceID) throws -> [String]? {
    try store.fetch(Self.self, id, in: space)?.words
  }

  fileprivate func bits(_ double: Double) -> String { String(double.bitPattern, radix: 16) }
}

/// Films of three versions, by lenses of the closed list alone.
struct Film1: Shown {
  let id: RecordID
  var title = ""
  var minutes = 0
  var director = ""
  var place = ""
  var country = ""
  var score = 0
  var mood = "lo"
  var note: String?
  init(id: RecordID) { self.id = id }

  var words: [String] {
    [title, "\(minutes)", director, place, country, "\(score)", mood, note ?? "null"]
  }

  static let schema = EntitySchema<Film1>(
    9, "film",
    [
      .field(1, "title", \.title), .field(2, "minutes", \.minutes),
      .field(3, "director", \.director), .field(4, "place", \.place),
      .field(5, "country", \.country), .field(6, "score", \.score), .field(7, "mood", \.mood),
      .field(8, "note", \.note),
    ])
}

struct Film2: Shown {
  let id: RecordID
  var title = ""
  var seconds = 0
  var first = ""
  var last = ""
  var origin = ""
  var score = 0.0
  var isHigh = false
  var note: String?
  var remark: String?
  var label = ""
  init(id: RecordID) { self.id = id }

  var words: [String] {
    [
      title, bits(score), note ?? "null", "\(seconds)", first, last, origin, "\(isHigh)",
      remark ?? "null", label,
    ]
  }

  static let schema = EntitySchema<Film2>(
    9, "film",
    [
      .field(1, "title", \.title), .field(6, "score", \.score),
      .field(8, "note", \.note, bytesMax: 3), .field(11, "seconds", \.seconds),
      .field(12, "first", \.first), .field(13, "last", \.last),
      .field(14, "origin", \.origin), .field(15, "isHigh", \.isHigh),
      .field(16, "remark", \.remark), .field(17, "label", \.label),
    ],
    lenses: [
      .retype(OldField(2, Int.self, initial: 0), to: \.seconds, by: .times(60)),
      .split(OldField(3, String.self, initial: ""), to: \.first, \.last, by: .separator(" ")),
      .merge(
        OldField(4, String.self, initial: ""), OldField(5, String.self, initial: ""),
        to: \.origin, by: .separator(", ")),
      .retype(
        OldField(7, String.self, initial: "lo"), to: \.isHigh,
        by: .cases(["lo": false, "hi": true])),
      .retype(OldField(8, String?.self), to: \.remark, by: .same),
      .fill(\.label, from: OldField(1, String.self, initial: ""), by: .same),
    ])
}

/// The third version hides what the second one made, makes others of it, and still reads the first one's.
struct Film3: Shown {
  let id: RecordID
  var title = ""
  var length = ""
  var hours = 0.0
  var name = ""
  var rating = ""
  var isHigh = false
  init(id: RecordID) { self.id = id }

  var words: [String] { [title, "\(isHigh)", length, bits(hours), name, rating] }

  static let schema = EntitySchema<Film3>(
    9, "film",
    [
      .field(1, "title", \.title), .field(15, "isHigh", \.isHigh),
      .field(21, "length", \.length), .field(22, "hours", \.hours), .field(23, "name", \.name),
      .field(24, "rating", \.rating),
    ],
    lenses: [
      .retype(OldField(11, Int.self, initial: 0), to: \.length, by: .text),
      .retype(OldField(11, Int.self, initial: 0), to: \.hours, by: .times(0.5)),
      .earlier(OldField(2, Int.self, initial: 0), to: OldField(11, Int.self), by: .times(60)),
      .merge(
        OldField(12, String.self, initial: ""), OldField(13, String.self, initial: ""), to: \.name,
        by: .separator(" ")),
      .earlier(
        OldField(3, String.self, initial: ""), to: OldField(12, String.self),
        OldField(13, String.self), by: .separator(" ")),
      // An int in the first version, and a double in the second.
      .retype(OldField(6, Double.self, initial: 0), to: \.rating, by: .text),
      .retype(
        OldField(7, String.self, initial: "lo"), to: \.isHigh,
        by: .cases(["lo": false, "hi": true])),
    ])
}

extension EntitySchema {
  var asModel: Model { Model(self) }
}

extension Model {
  /// As a module has it that is made of the model's file.
  var toldInJavaScript: [String: Any] {
    [
      "entities": entities.map { entity in
        [
          "number": entity.number, "name": entity.name,
          "fields": entity.fields.map { field in
            var told: [String: Any] = [
              "number": field.number, "name": field.name, "kind": field.kind.rawValue,
            ]
            told["bytesMax"] = field.bytesMax
            let (initial, int) = (field.initial, field.initial.int.map { Int($0) })
            told["initial"] = int ?? initial.double ?? initial.bool ?? initial.text
            return told
          }, "lenses": entity.lenses.map(\.toldInJavaScript),
        ] as [String: Any]
      }
    ]
  }
}
