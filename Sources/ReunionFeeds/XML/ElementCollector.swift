import CXML

/// What libxml2's callbacks work on: where the document is, and the element that is being collected.
///
/// It lives at one address while its parser does, so that a callback takes no reference.
struct ElementCollector {
  /// Set right after the context is made.
  var context: xmlParserCtxtPtr?
  /// Set when no more bytes will come.
  var isFinishing = false
  let handler: any XMLPushHandler
  let limits: FeedLimits
  var names: NameTable
  private var tree: ElementTree
  private var storage: UnsafeMutablePointer<ElementTree.Storage>
  /// The innermost element that is being collected; -1 for none.
  private var open: Int32 = -1
  private var depth = 0
  private var hasRoot = false
  /// The depth of the element that is passed over with all inside.
  private var skipDepth = Int.max
  /// Why the document ends early.
  private(set) var failure: (any Error)?

  init(handler: any XMLPushHandler, limits: FeedLimits) {
    self.handler = handler
    self.limits = limits.atMost32Bits
    names = NameTable(countMax: limits.namesMax)
    tree = ElementTree()
    storage = tree.storage
  }

  private static let keptBytesMax = 256 << 10

  typealias Bytes = UnsafePointer<UInt8>

  mutating func startElement(
    _ local: Bytes, _ prefix: Bytes?, _ namespace: Bytes?,
    _ attributes: UnsafeMutablePointer<Bytes?>?, _ attributeCount: Int
  ) {
    depth &+= 1
    guard depth <= limits.depthMax else { return failDepth() }
    guard depth < skipDepth else { return }
    append(names.number(local, namespace ?? prefix), attributes, attributeCount)
    guard open >= 0 else { return startOutside(attributes, attributeCount) }
    let count = storage.pointee.nodes.count
    open = Int32(truncatingIfNeeded: count &- 1)
    // Seldom is often enough: what is long is seen by its own limit.
    if count & 15 == 0, storage.pointee.byteCount > limits.elementBytesMax { failElement() }
  }

  mutating func finishElement() {
    depth &-= 1
    guard open >= 0 else { return finishOutside() }
    let node = storage.pointee.nodes.start + Int(open)
    open = node.pointee.end
    node.pointee.end = Int32(truncatingIfNeeded: storage.pointee.nodes.count)
    node.pointee.textEnd = Int32(truncatingIfNeeded: storage.pointee.text.count)
    if open < 0 { handOut() }
  }

  mutating func text(_ bytes: Bytes, _ count: Int) {
    guard open >= 0 else { return }
    storage.pointee.text.append(bytes, count: count)
    let start = Int((storage.pointee.nodes.start + Int(open)).pointee.textStart)
    if storage.pointee.text.count &- start > limits.fieldBytesMax { failText() }
    if storage.pointee.text.count > limits.elementBytesMax { failElement() }
  }

  /// Whether an error means that the document was cut off: it is over, and either the parser waits
  /// for more of an element, or it used up all there was.
  func isCutOff(isEndExpected: Bool) -> Bool {
    guard isFinishing, let input = context?.pointee.input?.pointee else { return false }
    return input.cur >= input.end || (isEndExpected && (depth > 0 || !hasRoot))
  }

  /// Ends the document with an error at the place where the parser is.
  mutating func fail(_ code: FeedError.Code, _ message: String) {
    let input = context?.pointee.input
    end(
      with: FeedError(
        code, message, line: Int(input?.pointee.line ?? 1), column: Int(input?.pointee.col ?? 1)))
  }

  /// Ends the document with an error; the first one counts.
  mutating func end(with error: any Error) {
    guard failure == nil else { return }
    if let objection = error as? Objection { return fail(objection.code, objection.message) }
    failure = error
    if let context { xmlStopParser(context) }
  }

  func deallocate() { names.deallocate() }

  // Elements

  @inline(__always)
  private mutating func append(
    _ name: Int32, _ attributes: UnsafeMutablePointer<Bytes?>?, _ attributeCount: Int
  ) {
    let first = storage.pointee.attributes.count
    if attributeCount > 0, let attributes { append(attributes, attributeCount) }
    let count = storage.pointee.attributes.count &- first
    storage.pointee.nodes.append(
      ElementTree.Node(
        name: name, end: open, textStart: Int32(truncatingIfNeeded: storage.pointee.text.count),
        textEnd: 0, attributeStart: Int32(truncatingIfNeeded: first),
        attributeCount: Int32(truncatingIfNeeded: count)))
    if names.isOverfull { failNames() }
  }

  /// Each attribute is five pointers: name, prefix, namespace, and the value's start and end.
  @inline(never)
  private mutating func append(_ attributes: UnsafeMutablePointer<Bytes?>, _ count: Int) {
    var attribute = attributes
    for _ in 0..<count {
      if let local = attribute[0], let start = attribute[3], let end = attribute[4] {
        let length = end - start
        guard length <= limits.fieldBytesMax else { return failAttribute() }
        let from = storage.pointee.values.count
        guard from <= limits.elementBytesMax else { return failElement() }
        storage.pointee.values.append(start, count: length)
        storage.pointee.attributes.append(
          ElementTree.Attribute(
            name: names.number(local, attribute[2] ?? attribute[1]),
            start: Int32(truncatingIfNeeded: from),
            end: Int32(truncatingIfNeeded: from &+ length)))
      }
      attribute += 5
    }
  }

  /// An element that is not inside of a collected one.
  @inline(never)
  private mutating func startOutside(
    _ attributes: UnsafeMutablePointer<Bytes?>?, _ attributeCount: Int
  ) {
    hasRoot = true
    guard failure == nil else { return }
    let name = storage.pointee.nodes[0].name
    switch ask() {
    case .collect:
      // Whoever kept the tag has that tree.
      if !clear(unlessOwned: true) { append(name, attributes, attributeCount) }
      open = 0
      storage.pointee.nodes[0].end = -1
    case .enter: clear()
    case .skip:
      skipDepth = depth
      clear()
    }
  }

  @inline(never)
  private mutating func finishOutside() {
    if depth + 1 == skipDepth { skipDepth = .max } else if depth + 1 < skipDepth { leave() }
  }

  // Limits

  @inline(never) private mutating func failDepth() {
    fail(.limit, "Elements are nested more than \(limits.depthMax) deep.")
  }

  @inline(never) private mutating func failText() {
    fail(.limit, "The text of an element has more than \(limits.fieldBytesMax) bytes.")
  }

  @inline(never) private mutating func failAttribute() {
    fail(.limit, "An attribute has more than \(limits.fieldBytesMax) bytes.")
  }

  @inline(never) private mutating func failElement() {
    fail(.limit, "An element takes more than \(limits.elementBytesMax) bytes of memory.")
  }

  @inline(never) private mutating func failNames() {
    fail(.limit, "There are more than \(limits.namesMax) names of elements and attributes.")
  }

  // The handler

  /// Asks what to do with an element that is not inside of a collected one.
  private mutating func ask() -> XMLInterest {
    storage.pointee.names = names.names
    storage.pointee.nodes[0].end = 1
    storage.pointee.nodes[0].textEnd = 0
    do {
      return try handler.interest(in: ParsedElement(tree: tree, index: 0))
    } catch {
      end(with: error)
      return .skip
    }
  }

  private mutating func handOut() {
    storage.pointee.names = names.names
    do {
      try handler.collected(ParsedElement(tree: tree, index: 0))
    } catch {
      end(with: error)
    }
    clear()
  }

  private mutating func leave() {
    do { try handler.left() } catch { end(with: error) }
  }

  /// Makes room for the next element: in the same memory, unless somebody kept the last one, or it
  /// was so large that one that is kept should not hold as much.
  /// Returns whether what was there is still there.
  @discardableResult
  private mutating func clear(unlessOwned: Bool = false) -> Bool {
    if isKnownUniquelyReferenced(&tree) {
      if unlessOwned { return true }
      guard storage.pointee.byteCount > Self.keptBytesMax else {
        storage.pointee.removeAll()
        return false
      }
      tree = ElementTree()
      storage = tree.storage
    } else {
      tree = ElementTree(after: tree)
      storage = tree.storage
    }
    return false
  }
}
