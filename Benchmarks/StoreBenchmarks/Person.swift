import Foundation
import Reunion

/// A record of six fields, of the kinds that apps have.
struct Person: Entity {
  let id: RecordID
  var name = ""
  var note: String?
  var score = 0.0
  var age = 0
  var isMember = false
  var token = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Person>(
    2, "person",
    [
      .field(1, "name", \.name), .field(2, "note", \.note), .field(3, "score", \.score),
      .field(4, "age", \.age), .field(5, "isMember", \.isMember), .field(6, "token", \.token),
    ])

  /// So many of them, each another.
  static func make(_ count: Int) -> [Person] {
    (0..<count).map { index in
      var person = Person(id: Workload.id(index))
      person.name = "Person number \(index)"
      person.note = index.isMultiple(of: 3) ? nil : "a note of some length about \(index)"
      person.score = Double(index) * 0.75
      person.age = index % 97
      person.isMember = index.isMultiple(of: 2)
      person.token = UUID()
      return person
    }
  }
}
