/// An element in a tree that somebody else holds: for readers that run while it is handed out.
@usableFromInline
struct ElementView {
  @usableFromInline let storage: UnsafeMutablePointer<ElementTree.Storage>
  @usableFromInline let index: Int

  @inlinable
  init(storage: UnsafeMutablePointer<ElementTree.Storage>, index: Int) {
    self.storage = storage
    self.index = index
  }

  @inlinable @inline(__always) var node: ElementTree.Node { storage.pointee.nodes[index] }

  /// The number of its name.
  @inlinable @inline(__always) var name: Int { Int(node.name) }

  /// All text inside, that of elements inside included, in the order of the document.
  @inlinable @inline(__always) var text: UnsafeBufferPointer<UInt8> {
    let node = node
    return UnsafeBufferPointer(
      start: storage.pointee.text.start + Int(node.textStart),
      count: Int(node.textEnd &- node.textStart))
  }

  /// Calls for each child.
  @inlinable @inline(__always)
  func forEachChild<Failure: Error>(
    _ body: (ElementView) throws(Failure) -> Void
  ) throws(Failure) {
    let end = Int(node.end)
    var index = index &+ 1
    while index < end {
      try body(ElementView(storage: storage, index: index))
      index = Int(storage.pointee.nodes[index].end)
    }
  }

  /// Calls for each attribute with the number of its name and its value.
  @inlinable @inline(__always)
  func forEachAttribute(_ body: (Int, UnsafeBufferPointer<UInt8>) -> Void) {
    let node = node
    let first = Int(node.attributeStart)
    for index in first..<first &+ Int(node.attributeCount) {
      let attribute = storage.pointee.attributes[index]
      body(
        Int(attribute.name),
        UnsafeBufferPointer(
          start: storage.pointee.values.start + Int(attribute.start),
          count: Int(attribute.end &- attribute.start)))
    }
  }

  /// The value of an attribute.
  func attribute(_ name: String, _ namespace: String?) -> UnsafeBufferPointer<UInt8>? {
    let node = node
    let first = storage.pointee.attributes.start + Int(node.attributeStart)
    return storage.pointee.names.withUnsafeBufferPointer { names in
      for index in 0..<Int(node.attributeCount) {
        let found = first[index]
        guard names[Int(found.name)].local == name, names[Int(found.name)].namespace == namespace
        else { continue }
        return UnsafeBufferPointer(
          start: storage.pointee.values.start + Int(found.start),
          count: Int(found.end &- found.start))
      }
      return nil
    }
  }
}
