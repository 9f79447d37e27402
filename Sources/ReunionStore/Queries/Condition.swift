import ReunionCore

/// What a record must meet; conditions come from comparing key paths with values.
///
/// ```swift
/// let wanted: Condition<Photo> = \.stars >= 4 && (\.takenAt == nil || .contains(\.tags, "sea"))
/// let photos = try store.fetch(Query<Photo>(in: space).filter(wanted))
/// let others = try store.fetch(Query<Photo>(in: space).filter(!wanted))
/// print(photos.count, others.count)
/// ```
/// It compares what is stored, in SQLite, and not with `==` of Swift. An enum counts as its raw
/// value, a date as its milliseconds, a counter as its sum. A condition is true or false of each
/// record, never neither: where a comparison with "none" has no answer it is false, and its
/// opposite true.
public struct Condition<E: Entity>: Sendable {
  indirect enum Node: Sendable {
    case comparison(any PartialKeyPath<E> & Sendable, Comparison, Value)
    case contains(any PartialKeyPath<E> & Sendable, Value)
    case text(any PartialKeyPath<E> & Sendable, TextComparison, [UInt8])
    case isOneOf(any PartialKeyPath<E> & Sendable, [Value])
    case related(any PartialKeyPath<E> & Sendable, any RelatedRecord)
    case all(Node, Node)
    case any(Node, Node)
    case not(Node)
  }

  let node: Node

  init(_ node: Node) { self.node = node }

  /// Both. An index may serve either.
  public static func && (left: Condition, right: Condition) -> Condition {
    Condition(.all(left.node, right.node))
  }

  /// One of the two, or both. No index serves it: prefer `contains` for values of one field.
  public static func || (left: Condition, right: Condition) -> Condition {
    Condition(.any(left.node, right.node))
  }

  /// Not this: also records of which the comparison says nothing, as of "none" in `!(\.takenAt <
  /// date)`.
  public static prefix func ! (condition: Condition) -> Condition {
    Condition(.not(condition.node))
  }
}

/// How a field is compared with a value, as SQL says it.
enum Comparison: String, Sendable {
  case equal = "IS"
  case unequal = "IS NOT"
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
}

extension Condition {
  /// A set contains an element. An element is the same if its stored bytes are. *Cost*: a look-up
  /// in an index for each record that the other conditions leave.
  public static func contains<Element: FieldValue>(
    _ path: any KeyPath<E, Set<Element>> & Sendable, _ element: Element
  ) -> Condition { Condition(.contains(path, element.storedValue)) }
}

/// A field equals a value, by what is stored: texts and bytes byte by byte, −0.0 as 0, and NaN as a
/// NaN of the same bits. `nil` is a value like any: `\.takenAt == nil` finds records without one.
public func == <E: Entity, V: FieldValue>(
  path: any KeyPath<E, V> & Sendable, value: V
) -> Condition<E> { Condition(.comparison(path, .equal, value.storedValue)) }

/// A field differs from a value. "None" differs from each.
public func != <E: Entity, V: FieldValue>(
  path: any KeyPath<E, V> & Sendable, value: V
) -> Condition<E> { Condition(.comparison(path, .unequal, value.storedValue)) }

/// A field is less than a value; "none" and NaN never are. Texts are compared byte by byte, ids by
/// the time at which they were made.
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
