/// A collected element and all that is in it, in four runs of memory.
///
/// The text of an element is one run, whatever elements are between: what an element holds as text
/// is a part of what its parent holds.
final class ElementTree: @unchecked Sendable {
  struct Node: BitwiseCopyable {
    var name: Int32
    /// The node after its last descendant; its parent while it is open.
    var end: Int32
    var textStart: Int32
    var textEnd: Int32
    var attributeStart: Int32
    var attributeCount: Int32
  }

  struct Attribute: BitwiseCopyable {
    var name: Int32
    var start: Int32
    var end: Int32
  }

  struct Storage {
    var nodes = GrowingBuffer<Node>(capacity: 256)
    var attributes = GrowingBuffer<Attribute>(capacity: 64)
    var text = GrowingBuffer<UInt8>(capacity: 4096)
    /// The values of all attributes.
    var values = GrowingBuffer<UInt8>(capacity: 1024)
    /// What the numbers of names stand for; set when the element is complete.
    var names: [QualifiedName] = []

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
  let storage: UnsafeMutablePointer<Storage>

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
