import ReunionCore

/// What a record must meet; conditions come from comparing key paths with values.
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
