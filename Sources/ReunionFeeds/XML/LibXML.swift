import CXML

/// What libxml2 is given: its callbacks, each a few lines over an ``ElementCollector``.
enum LibXML {
  /// Prepares the library, once, so that parsers on several threads may start together.
  static func start() { _ = started }
  private static let started: Void = xmlInitParser()

  /// The callbacks. What is not set does not happen: no entity is kept, no file is looked for.
  static var callbacks: xmlSAXHandler {
    var handler = xmlSAXHandler()
    handler.initialized = UInt32(XML_SAX2_MAGIC)
    handler.startElementNs = { context, local, prefix, namespace, _, _, count, _, attributes in
      guard let collector = LibXML.collector(context), let local else { return }
      collector.pointee.startElement(local, prefix, namespace, attributes, Int(count))
    }
    handler.endElementNs = { context, _, _, _ in LibXML.collector(context)?.pointee.finishElement()
    }
    // Both the same, or else libxml2 guesses which white space counts.
    handler.characters = text
    handler.ignorableWhitespace = text
    handler.cdataBlock = text
    handler.serror = { context, error in
      guard let collector = LibXML.collector(context), let error else { return }
      LibXML.take(error.pointee, collector)
    }
    handler.entityDecl = { context, _, _, _, _, _ in LibXML.forbid(context, "an entity") }
    handler.unparsedEntityDecl = { context, _, _, _, _ in LibXML.forbid(context, "an entity") }
    handler.attributeDecl = { context, _, _, _, _, _, list in
      xmlFreeEnumeration(list)
      LibXML.forbid(context, "an attribute")
    }
    return handler
  }

  private static let text: charactersSAXFunc = { context, bytes, count in
    guard let collector = LibXML.collector(context), let bytes else { return }
    collector.pointee.text(bytes, Int(count))
  }

  @inline(__always)
  private static func collector(
    _ context: UnsafeMutableRawPointer?
  ) -> UnsafeMutablePointer<ElementCollector>? {
    context?.assumingMemoryBound(to: ElementCollector.self)
  }

  private static func forbid(_ context: UnsafeMutableRawPointer?, _ what: String) {
    collector(context)?.pointee.fail(
      .forbidden, "The document declares \(what) of its own; such documents are not read.")
  }

  private static func take(
    _ error: xmlError, _ collector: UnsafeMutablePointer<ElementCollector>
  ) {
    // An unbound prefix harms nobody; it is the namespace then. What else is no mere warning ends
    // the document, such as an entity that might have been declared elsewhere.
    guard error.level.rawValue >= XML_ERR_ERROR.rawValue,
      error.domain != Int32(XML_FROM_NAMESPACE.rawValue)
    else { return }
    let place = (line: Int(error.line), column: Int(error.int2))
    let code: FeedError.Code
    let message: String
    switch UInt32(bitPattern: error.code) {
    case XML_ERR_NO_MEMORY.rawValue: (code, message) = (.outOfMemory, "There is not enough memory.")
    case _
    where collector.pointee.isCutOff(isEndExpected: error.code == XML_ERR_DOCUMENT_END.rawValue):
      (code, message) = (.truncated, "The document ends before it is whole.")
    // Its own bound, of 10 MB for a tag or a comment and 50,000 bytes for a name; or a declaration
    // inside of an element.
    case XML_ERR_INTERNAL_ERROR.rawValue where isOfContent(error):
      (code, message) = (.malformed, sentence(error))
    case XML_ERR_INTERNAL_ERROR.rawValue, XML_ERR_NAME_TOO_LONG.rawValue:
      (code, message) = (.limit, "A tag, a comment or a name is too long.")
    default: (code, message) = (.malformed, sentence(error))
    }
    collector.pointee.end(
      with: FeedError(code, message, line: place.line, column: place.column))
  }

  private static func isOfContent(_ error: xmlError) -> Bool {
    error.message.map { String(cString: $0).contains("in element content") } ?? false
  }
}
