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
    @usableFromInline var nodes = GrowingBuffer<Node>(capacity: 256)
    @usableFromInline var attributes = GrowingBuffer<Attribute>(capacity: 64)
    @usableFromInline var text = GrowingBuffer<UInt8>(capacity: 4096)
    /// The values of all attributes.
    @usableFromInline var values = GrowingBuffer<UInt8>(capacity: 1024)
    /// What the numbers of names stand for; set when the element is complete.
    @usableFromInline var names: [QualifiedName] = []

    var byteCount: Int {
      nodes.count * MemoryLayout<Node>.stride + attributes.count * MemoryLayout<Attribute>.stride
        + text.count + values.count
    }

    mutating func removeAll() {
      nodes.removeAll()
      attributes.removeAll()
      text.removeAll()
      values.removeAll()
    }
  }

  // A pointer, so that reading takes no check of exclusive access. Written by the parser alone,
  // until it hands the tree out.
  @usableFromInline let storage: UnsafeMutablePointer<Storage>

  init() {
    storage = .allocate(capacity: 1)
    storage.initialize(to: Storage())
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
