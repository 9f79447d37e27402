/// An element of an XML document, whole: its attributes, its text and the elements in it.
///
/// *Memory*: one that is kept holds all of the element that the parser handed out; the parser goes
/// on with fresh memory. One that is not kept costs no allocation.
///
/// *Thread*: any; it never changes.
public struct ParsedElement: Sendable {
  let tree: ElementTree
  let index: Int

  @inline(__always) var view: ElementView { ElementView(storage: tree.storage, index: index) }

  /// Its name without a prefix.
  public var name: String { tree.storage.pointee.names[view.name].local }

  /// The address of its namespace; the prefix where nothing binds that, nil for none.
  public var namespace: String? { tree.storage.pointee.names[view.name].namespace }

  /// All text inside, that of elements inside included, in the order of the document.
  public var text: String { String(decoding: view.text, as: UTF8.self) }

  /// Calls with the UTF-8 of ``text``, without making a string of it.
  ///
  /// The bytes are valid until the closure returns.
  public func withUTF8<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    defer { withExtendedLifetime(tree) {} }
    return try body(view.text)
  }

  /// The value of an attribute; nil where there is none of that name, or in another namespace.
  public func attribute(_ name: String, namespace: String? = nil) -> String? {
    var found: String?
    let names = tree.storage.pointee.names
    view.forEachAttribute { number, value in
      if names[number].local == name, names[number].namespace == namespace {
        found = String(decoding: value, as: UTF8.self)
      }
    }
    return found
  }

  /// The elements directly inside, in the order of the document.
  public var children: Children { Children(parent: self) }

  /// The first element directly inside with that name, and in that namespace if one is given.
  public func first(_ name: String, namespace: String? = nil) -> ParsedElement? {
    children.first { $0.name == name && (namespace == nil || $0.namespace == namespace) }
  }

  /// The elements directly inside of an element.
  public struct Children: Sequence, Sendable {
    let parent: ParsedElement

    /// Starts at the first one.
    public func makeIterator() -> Iterator {
      Iterator(tree: parent.tree, position: parent.index + 1, end: Int(parent.view.node.end))
    }

    /// Goes through the elements directly inside.
    public struct Iterator: IteratorProtocol {
      let tree: ElementTree
      var position: Int
      let end: Int

      /// The next one; nil after the last.
      public mutating func next() -> ParsedElement? {
        guard position < end else { return nil }
        let element = ParsedElement(tree: tree, index: position)
        position = Int(tree.storage.pointee.nodes[position].end)
        return element
      }
    }
  }
}
