public import ReunionCore

/// Which records of an entity in a space, in which order and how many at most.
///
/// ```swift
/// Query<Photo>(in: space).filter(\.width > 1000).sorted(by: \.caption).limit(20)
/// ```
public struct Query<E: Entity>: Sendable {
  /// An order by a field.
  struct Order: Sendable {
    let path: any PartialKeyPath<E> & Sendable
    let isDescending: Bool
  }

  /// The space.
  public let space: SpaceID
  private(set) var condition: Condition<E>?
  private(set) var orders: [Order] = []
  private(set) var limit: Int?

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
  ) -> Query {
    var query = self
    query.orders.append(Order(path: path, isDescending: descending))
    return query
  }

  /// At most so many.
  public func limit(_ count: Int) -> Query {
    var query = self
    query.limit = max(count, 0)
    return query
  }
}

/// What a record must meet; conditions come from comparing key paths with values.
public struct Condition<E: Entity>: Sendable {
  enum Comparison: String, Sendable {
    case equal = "IS"
    case unequal = "IS NOT"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
  }

  indirect enum Node: Sendable {
    case comparison(any PartialKeyPath<E> & Sendable, Comparison, Value)
    case contains(any PartialKeyPath<E> & Sendable, Value)
    case all(Node, Node)
    case any(Node, Node)
    case not(Node)
  }

  let node: Node

  init(_ node: Node) { self.node = node }

  /// Both.
  public static func && (left: Condition, right: Condition) -> Condition {
    Condition(.all(left.node, right.node))
  }

  /// One of the two, or both.
  public static func || (left: Condition, right: Condition) -> Condition {
    Condition(.any(left.node, right.node))
  }

  /// Not this.
  public static prefix func ! (condition: Condition) -> Condition {
    Condition(.not(condition.node))
  }
}

extension Condition {
  /// A set contains an element. Cost: a look-up in an index for each record.
  public static func contains<Element: FieldValue>(
    _ path: any KeyPath<E, Set<Element>> & Sendable, _ element: Element
  ) -> Condition { Condition(.contains(path, element.storedValue)) }
}

/// A field equals a value, bit for bit.
public func == <E: Entity, V: FieldValue>(
  path: any KeyPath<E, V> & Sendable, value: V
) -> Condition<E> { Condition(.comparison(path, .equal, value.storedValue)) }

/// A field differs from a value.
public func != <E: Entity, V: FieldValue>(
  path: any KeyPath<E, V> & Sendable, value: V
) -> Condition<E> { Condition(.comparison(path, .unequal, value.storedValue)) }

/// A field is less than a value; "none" and NaN never are.
public func < <E: Entity, V: FieldValue>(
  path: any KeyPath<E, V> & Sendable, value: V
) -> Condition<E> { Condition(.comparison(path, .less, value.storedValue)) }

/// A field is at most a value; "none" and NaN never are.
public func <= <E: Entity, V: FieldValue>(
  path: any KeyPath<E, V> & Sendable, value: V
) -> Condition<E> { Condition(.comparison(path, .lessOrEqual, value.storedValue)) }

/// A field is greater than a value; "none" and NaN never are.
public func > <E: Entity, V: FieldValue>(
  path: any KeyPath<E, V> & Sendable, value: V
) -> Condition<E> { Condition(.comparison(path, .greater, value.storedValue)) }

/// A field is at least a value; "none" and NaN never are.
public func >= <E: Entity, V: FieldValue>(
  path: any KeyPath<E, V> & Sendable, value: V
) -> Condition<E> { Condition(.comparison(path, .greaterOrEqual, value.storedValue)) }
