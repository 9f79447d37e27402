import ReunionCore
public import ReunionDisk

/// What a query found: its records in their order, able to tell what differs from an earlier
/// result.
///
/// ```swift
/// let photos = try store.liveResult(of: Query<Photo>(in: space).sorted(by: \.caption))
/// let before = photos.value
/// try store.write(in: space) { try $0.create(Photo.self) { $0.caption = "Quay" } }
/// print(photos.value.changes(since: before).insertions, photos.value.first?.caption ?? "")
/// ```
/// It is a collection of the records, with indices from 0 on, and a value: a later commit does not
/// change it. *Cost*: copying is O(1).
public struct QueryResult<Element: Sendable>: Sendable {
  /// The arrival numbers of the records that an element is made of: another number may be another
  /// content, the same number is the same.
  struct Version: Hashable, Sendable {
    var record: UInt64
    var other: UInt64 = 0
  }

  private(set) var ids: [RecordID] = []
  private(set) var versions: [Version] = []
  /// The records, as an array.
  public private(set) var elements: [Element] = []
  /// Why a live query shows what an earlier commit left: its last read failed. Nil where it is up
  /// to date. The records are whole all the same, as of that commit.
  public internal(set) var failure: StoreError?
  /// Grows with each content that a live query shows.
  var revision: UInt64 = 0
  private let isEqual: @Sendable (Element, Element) -> Bool

  init(isEqual: @escaping @Sendable (Element, Element) -> Bool) { self.isEqual = isEqual }

  mutating func append(_ element: Element, _ id: RecordID, _ version: Version) {
    insert(element, id, version, at: ids.count)
  }

  mutating func insert(_ element: Element, _ id: RecordID, _ version: Version, at index: Int) {
    ids.insert(id, at: index)
    versions.insert(version, at: index)
    elements.insert(element, at: index)
  }

  mutating func remove(at index: Int) {
    ids.remove(at: index)
    versions.remove(at: index)
    elements.remove(at: index)
  }

  /// Puts a newer state of a record in the place of one; false where its content is the same.
  mutating func replace(at index: Int, with element: Element, _ version: Version) -> Bool {
    guard versions[index] != version else { return false }
    versions[index] = version
    guard !isEqual(elements[index], element) else { return false }
    elements[index] = element
    return true
  }

  /// Whether an element here and one of another result have the same content.
  func isSame(at index: Int, as other: QueryResult, at otherIndex: Int) -> Bool {
    versions[index] == other.versions[otherIndex]
      || isEqual(elements[index], other.elements[otherIndex])
  }

  /// Whether it shows the same records, with the same contents in the same order.
  func isSame(as other: QueryResult) -> Bool {
    ids == other.ids && ids.indices.allSatisfy { isSame(at: $0, as: other, at: $0) }
  }
}

extension QueryResult: RandomAccessCollection {
  /// 0.
  public var startIndex: Int { 0 }
  /// How many there are.
  public var endIndex: Int { elements.count }
  /// The record at an index, which must be one of `indices`: another ends the program.
  public subscript(index: Int) -> Element { elements[index] }
}

extension QueryResult where Element: Entity {
  /// No records.
  init() { self.init(isEqual: Element.isSame) }
}

extension Entity {
  /// Whether two records have the same id and fields, bit for bit.
  static func isSame(_ left: Self, _ right: Self) -> Bool {
    left.id == right.id && schema.fields.allSatisfy { $0.read(left) == $0.read(right) }
  }
}
