public import ReunionCore

/// Which records of an entity in a space, in which order and how many at most.
///
/// ```swift
/// Query<Photo>(in: space).filter(\.width > 1000).sorted(by: \.caption).limit(20)
/// ```
public struct Query<E: Entity>: Sendable {
  /// What the order goes by.
  enum Order: Sendable {
    case field(any PartialKeyPath<E> & Sendable, isDescending: Bool)
    case related(any PartialKeyPath<E> & Sendable, any RelatedField, isDescending: Bool)
    case relevance
  }

  /// The space.
  public let space: SpaceID
  private(set) var condition: Condition<E>?
  private(set) var orders: [Order] = []
  private(set) var limit: Int?
  /// What the texts are searched for.
  var searches: [TextSearch<E>] = []

  /// All records, in the order of their ids, which is that of their creation.
  public init(in space: SpaceID) { self.space = space }

  /// Those that also meet a condition.
  public func filter(_ condition: Condition<E>) -> Query {
    var query = self
    query.condition = self.condition.map { $0 && condition } ?? condition
    return query
  }

  /// In the order of a field, within that of earlier calls; "none" comes first, texts are compared
  /// byte by byte.
  public func sorted<V: FieldValue>(
    by path: any KeyPath<E, V> & Sendable, descending: Bool = false
  ) -> Query { ordered(.field(path, isDescending: descending)) }

  func ordered(_ order: Order) -> Query {
    var query = self
    query.orders.append(order)
    return query
  }

  /// Limits the result to `count` records.
  public func limit(_ count: Int) -> Query {
    var query = self
    query.limit = max(count, 0)
    return query
  }
}
