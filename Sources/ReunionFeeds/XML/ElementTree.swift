/// A collected element and all that is in it, in four runs of memory.
///
/// The text of an element is one run, whatever elements are between: what an element holds as text
/// is a part of what its parent holds.
@usableFromInline
final class ElementTree: @unchecked Sendable {
  @usableFromInline
  struct Node: BitwiseCopyable {
    @usableFromInline var name: Int32
    /// The node after its last descendant; its parent while it is open.
    @usableFromInline var end: Int32
    @usableFromInline var textStart: Int32
    @usableFromInline var textEnd: Int32
    @usableFromInline var attributeStart: Int32
    @usableFromInline var attributeCount: Int32
  }

  @usableFromInline
  struct Attribute: BitwiseCopyable {
    @usableFromInline var name: Int32
    @usableFromInline var start: Int32
    @usableFromInline var end: Int32
  }

  @usableFromInline
  struct Storage {
    @usableFromInline var nodes: GrowingBuffer<Node>
    @usableFromInline var attributes: GrowingBuffer<Attribute>
    @usableFromInline var text: GrowingBuffer<UInt8>
    /// The values of all attributes.
    @usableFromInline var values: GrowingBuffer<UInt8>
    /// What the numbers of names stand for; set when the element is complete.
    @usableFromInline var names: [QualifiedName] = []

    var byteCount: Int {
      nodes.count * MemoryLayout<Node>.stride + attributes.count * MemoryLayout<Attribute>.stride
        + text.count + values.count
    }

    /// Makes room for an element of the size of another; one that grows makes more.
    init(roomFor other: Storage?) {
      nodes = GrowingBuffer(capacity: max(other?.nodes.count ?? 0, 16))
      attributes = GrowingBuffer(capacity: max(other?.attributes.count ?? 0, 8))
      text = GrowingBuffer(capacity: max(other?.text.count ?? 0, 256))
      values = GrowingBuffer(capacity: max(other?.values.count ?? 0, 128))
    }

    mutating func removeAll() {
      nodes.removeAll()
      attributes.removeAll()
      text.removeAll()
      values.removeAll()
    }
  }

  // A pointer, so that reading takes no check of exclusive access. Unchecked, since the parser alone
  // writes, and only while nobody else has the tree.
  @usableFromInline let storage: UnsafeMutablePointer<Storage>

  /// Creates a tree for the next element, which most often is about as large as the last one.
  init(after last: ElementTree? = nil) {
    storage = .allocate(capacity: 1)
    storage.initialize(to: Storage(roomFor: last?.storage.pointee))
  }

  deinit {
    storage.pointee.nodes.deallocate()
    storage.pointee.attributes.deallocate()
    storage.pointee.text.deallocate()
    storage.pointee.values.deallocate()
    storage.deinitialize(count: 1)
    storage.deallocate()
  }
}
