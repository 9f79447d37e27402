package import Reunion

/// Somebody whose devices a family follows.
package struct FollowedPerson: Sendable {
  /// The record in the space of the family.
  package let id: RecordID
  /// The space of use.
  package let use: SpaceID
  /// The space of limits.
  package let limits: SpaceID

  private init?(_ record: Followed) {
    guard let use = SpaceID(record.use), let limits = SpaceID(record.limits) else { return nil }
    (id, self.use, self.limits) = (record.id, use, limits)
  }

  /// Everybody whom a family follows.
  package static func all(in family: SpaceID, of store: Store) throws -> [FollowedPerson] {
    try store.fetch(Query<Followed>(in: family)).compactMap(FollowedPerson.init)
  }

  /// Follows somebody more, whose spaces are made.
  package static func begin(
    _ id: RecordID, _ name: String, use: SpaceID, limits: SpaceID, in family: SpaceID,
    of store: Store
  ) throws {
    try store.write(in: limits) { transaction in
      var child = Child(id: Child.id(in: limits))
      child.name = name
      try transaction.create(child)
    }
    var record = Followed(id: id)
    (record.use, record.limits) = ("\(use)", "\(limits)")
    try store.write(in: family) { [record] in try $0.create(record) }
  }

  /// Ends following somebody.
  package func end(in family: SpaceID, of store: Store) throws {
    try store.write(in: family) { try $0.delete(Followed.self, id) }
  }

  /// What the server does for this one.
  package func upkeep(_ store: Store) -> Upkeep { Upkeep(store, use: use, limits: limits) }
}
