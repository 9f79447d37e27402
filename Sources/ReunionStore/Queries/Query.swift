public import ReunionCore

/// Which records of an entity in a space, in which order and how many at most.
///
/// ```swift
/// let best = Query<Photo>(in: space)
///   .filter(\.stars > 3 && !\.isHidden)
///   .sorted(by: \.takenAt, descending: true)
///   .sorted(by: \.caption)
///   .limit(20)
/// print(try store.fetch(best).map(\.caption))
/// let count = try store.live(best.count())
/// print(count.value)
/// ```
/// It is a value, and asks nothing by itself. `Store.fetch(_:)` answers it once, and
/// `Store.live(_:)` for as long as you hold the answer. `WriteTransaction.fetch(_:)` answers with
/// what a write has done so far. Living records alone are found. What nobody wrote counts as the
/// default of the Swift type.
///
/// *Cost*: it reads all records of the entity in the space. It reads fewer if it searches words, or
/// if an index of the schema has the fields with which its conditions and its order begin. Records
/// that are left out by a limit are read too, unless an index gives the order.
///
/// *Errors*: making a query never fails. Fetching it throws `invalidModel` for an entity or a field
/// that the store's model lacks, and `outOfRange` for more than 30,000 values in one condition.
public struct Query<E: Entity>: Sendable {
  /// What the order goes by.
  enum Order: Sendable {
    case field(any PartialKeyPath<E> & Sendable, isDescending: Bool)
    case related(any PartialKeyPath<E> & Sendable, any RelatedField, isDescending: Bool)
    case relevance
  }

  /// The space. A query is about one; ask once for each of several.
  public let space: SpaceID
  private(set) var condition: Condition<E>?
  private(set) var orders: [Order] = []
  private(set) var limit: Int?
  /// What the texts are searched for.
  var searches: [TextSearch<E>] = []

  /// All records, in the order of their ids, which is that of their creation.
  public init(in space: SpaceID) { self.space = space }

  /// Those that also meet a condition: several filters are as one with `&&`.
  public func filter(_ condition: Condition<E>) -> Query {
    var query = self
    query.condition = self.condition.map { $0 && condition } ?? condition
    return query
  }

  /// In the order of a field, within that of earlier calls: the second call orders what the first
  /// leaves equal, and ids order the rest. So an order is always the same.
  ///
  /// "None" comes first, or last if descending. Texts are compared byte by byte, so that capital
  /// letters come before all small ones; enums and dates go by what is stored.
  public func sorted<V: FieldValue>(
    by path: any KeyPath<E, V> & Sendable, descending: Bool = false
  ) -> Query { ordered(.field(path, isDescending: descending)) }

  func ordered(_ order: Order) -> Query {
    var query = self
    query.orders.append(order)
    return query
  }

  /// Limits the result to `count` records, the first in the order. A later call replaces it; a
  /// negative count is 0. Counts, sums and groups do not heed it.
  public func limit(_ count: Int) -> Query {
    var query = self
    query.limit = max(count, 0)
    return query
  }
}
