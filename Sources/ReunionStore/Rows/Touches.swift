import ReunionCore

/// A set of fields in 64 bits: life, the fields 1 to 62 each for itself, all others as one.
///
/// Field 0 is a record's existence: where it changes, so may life, and every field with it.
struct FieldSet: Hashable, Sendable {
  private(set) var bits: UInt64

  static let none = FieldSet(bits: 0)
  static let all = FieldSet(bits: .max)
  /// That a record began or ended to live, which only `all` contains.
  static let life = FieldSet(bits: 1)

  private init(bits: UInt64) { self.bits = bits }

  init(_ field: UInt32) {
    bits = field == Cell.existence ? .max : 1 << UInt64(min(field, 63))
  }

  mutating func formUnion(_ other: FieldSet) { bits |= other.bits }

  func contains(_ field: UInt32) -> Bool { intersects(FieldSet(field)) }

  func intersects(_ other: FieldSet) -> Bool { bits & other.bits != 0 }
}

/// The records that changes touched, and the fields of them, an entity at a time.
struct Touches: Hashable, Sendable {
  /// What was touched of one entity.
  struct OfEntity: Hashable, Sendable {
    fileprivate(set) var fields = FieldSet.none
    /// The records, perhaps some of them twice; nil where there are too many to name.
    fileprivate(set) var records: [RecordID]? = []
  }

  /// How many records of an entity are named.
  static let recordsMax = 4096

  private(set) var byEntity: [UInt32: OfEntity] = [:]

  var isEmpty: Bool { byEntity.isEmpty }

  mutating func add(_ key: RecordKey, _ fields: FieldSet) {
    byEntity[key.entity, default: OfEntity()].add(CollectionOfOne(key.id), fields)
  }

  mutating func formUnion(_ other: Touches) {
    for (entity, touched) in other.byEntity {
      byEntity[entity, default: OfEntity()].add(touched.records, touched.fields)
    }
  }
}

extension Touches.OfEntity {
  fileprivate mutating func add(_ others: (some Collection<RecordID>)?, _ fields: FieldSet) {
    self.fields.formUnion(fields)
    guard let held = records, let others, held.count + others.count <= Touches.recordsMax else {
      records = nil
      return
    }
    records?.append(contentsOf: others)
  }
}

extension RecordState {
  /// Whether it was created and never deleted, as nearly all are: then it lives, whatever its fields
  /// hold. Cost: O(1), since a creation is the first cell and deletes follow it.
  var isSurelyAlive: Bool {
    cells.first?.merge == .creation && !(cells.count > 1 && cells[1].merge == .deletion)
  }
}
