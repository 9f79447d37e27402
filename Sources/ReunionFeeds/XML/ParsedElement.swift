/// A whole element of an XML document: its attributes, its text and the elements in it.
///
/// *Memory*: keeping one keeps the whole element that the parser handed out; the parser continues with
/// fresh memory. An element that is not kept costs no allocation.
///
/// *Thread*: any; it never changes.
public struct ParsedElement: Sendable {
  @usableFromInline let tree: ElementTree
  @usableFromInline let index: Int

  @inlinable init(tree: ElementTree, index: Int) {
    self.tree = tree
    self.index = index
  }

  @inlinable @inline(__always) var view: ElementView {
    ElementView(storage: tree.storage, index: index)
  }

  /// Its name without a prefix.
  @inlinable public var name: String { tree.storage.pointee.names[view.name].local }

  /// The address of its namespace; the prefix if nothing binds it, nil if it has none.
  @inlinable public var namespace: String? { tree.storage.pointee.names[view.name].namespace }

  /// All text inside, including that of inner elements, in the order of the document.
  @inlinable public var text: XMLText { XMLText(tree: tree, bytes: view.text) }

  /// The value of an attribute; nil if there is none with that name, or it is in another namespace.
  public func attribute(_ name: String, namespace: String? = nil) -> XMLText? {
    guard let bytes = view.attribute(name, namespace) else { return nil }
    return XMLText(tree: tree, bytes: bytes)
  }

  /// Calls a closure with each element directly inside, in the order of the document: the same as
  /// ``children``, at the least cost.
  @inlinable public func forEachChild<Failure: Error>(
    _ body: (ParsedElement) throws(Failure) -> Void
  ) throws(Failure) {
    let end = Int(view.node.end)
    var position = index &+ 1
    while position < end {
      try body(ParsedElement(tree: tree, index: position))
      position = Int(tree.storage.pointee.nodes[position].end)
    }
  }

  /// The elements directly inside, in the order of the document.
  @inlinable public var children: Children { Children(parent: self) }

  /// The first element directly inside with that name, and in that namespace if one is given.
  public func first(_ name: String, namespace: String? = nil) -> ParsedElement? {
    children.first { $0.name == name && (namespace == nil || $0.namespace == namespace) }
  }

  /// The elements directly inside an element.
  public struct Children: Sequence, Sendable {
    @usableFromInline let parent: ParsedElement

    @inlinable init(parent: ParsedElement) { self.parent = parent }

    /// Starts at the first one.
    @inlinable public func makeIterator() -> Iterator {
      Iterator(tree: parent.tree, position: parent.index &+ 1, end: Int(parent.view.node.end))
    }

    /// Goes through the elements directly inside.
    public struct Iterator: IteratorProtocol {
      @usableFromInline let tree: ElementTree
      @usableFromInline var position: Int
      @usableFromInline let end: Int

      @inlinable init(tree: ElementTree, position: Int, end: Int) {
        self.tree = tree
        self.position = position
        self.end = end
      }

      /// The next one; nil after the last.
      @inlinable public mutating func next() -> ParsedElement? {
        guard position < end else { return nil }
        let element = ParsedElement(tree: tree, index: position)
        position = Int(tree.storage.pointee.nodes[position].end)
        return element
      }
    }
  }
}
