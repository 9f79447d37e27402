// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// The requirements are documented in FieldValue and Collection.
public import ReunionCore

/// A field of items in an order. A move is one change; what devices that are apart insert, move and
/// remove comes together: a removed item stays removed, the later of two moves wins.
///
/// ```swift
/// try store.write(in: space) { transaction in
///   try transaction.update(photo) { $0.steps = ["Rotate", "Crop"] }
///   try transaction.insert("Sharpen", into: \Photo.steps, of: photo.id)
///   try transaction.move(in: \Photo.steps, from: 2, to: 0, of: photo.id)
/// }
/// print(try store.fetch(Photo.self, photo.id, in: space)?.steps ?? [])
/// ```
/// What an item holds never changes: to edit it, remove it and insert another. Items that are equal
/// are several. An update with another list removes, inserts and moves as few items as lead there;
/// the calls of the transaction say exactly which.
///
/// *Cost*: each item and each of its moves is a cell of its own, and a record is read whole. It is
/// for a hundred items, and not for ten thousand: those are records with a reference to this one. A
/// server takes 1,024 cells of a record from a guest.
public struct OrderedList<Element: FieldValue>: FieldValue, RandomAccessCollection,
  ExpressibleByArrayLiteral
{
  private var elements: [Element]

  /// Makes a list; creating a record inserts its elements.
  public init(_ elements: some Sequence<Element>) { self.elements = Array(elements) }
  public init(arrayLiteral elements: Element...) { self.elements = elements }

  public var startIndex: Int { 0 }
  public var endIndex: Int { elements.count }
  public subscript(index: Int) -> Element { elements[index] }

  public static var valueKind: ValueKind { .list }
  public var storedValue: Value { Value(gathering: elements.map(\.storedValue), as: .list) }
  /// Where an item is of a kind that the type cannot read, positions would lie: then it reads none,
  /// and the field has its default.
  public init?(storedValue: Value) {
    guard storedValue.kind == .list, let values = storedValue.elements else { return nil }
    elements = []
    for value in values {
      guard let element = Element(storedValue: value) else { return nil }
      elements.append(element)
    }
  }
}

extension OrderedList: GatheredElements {
  static var elementKind: ValueKind { Element.valueKind }
}

extension OrderedList: Equatable where Element: Equatable {}
extension OrderedList: Hashable where Element: Hashable {}

extension OrderedList: CustomStringConvertible {
  /// The items, as an array's.
  public var description: String { "\(Array(self))" }
}
