import CXML

/// Reads an XML document from bytes as they arrive, and hands out elements as they complete.
///
/// The pieces may be cut anywhere, even inside a character; the result is the same. It keeps one
/// collected element in memory, whatever the document's size. It reads libxml2's encodings: UTF-8,
/// UTF-16, ISO 8859 and what iconv knows.
///
/// It reads nothing but the bytes: no file, no address. It refuses a document that declares
/// entities or attributes, so no small document can grow into a huge one.
///
/// ```swift
/// let books = "<list><book isbn='1'><title>Charts</title></book></list>"
/// let parser = XMLPushParser(collecting: "book") { book in
///   print(book.attribute("isbn") ?? "", book.first("title")?.text ?? "")
/// }
/// for piece in [books.utf8.prefix(20), books.utf8.dropFirst(20)] { try parser.push(piece) }
/// try parser.finish()
/// ```
///
/// *Thread*: one at a time. *Source*: libxml2's SAX2 interface.
public final class XMLPushParser {
  private let collector: UnsafeMutablePointer<ElementCollector>
  private let context: xmlParserCtxtPtr?
  private var isBusy = false
  private var outcome: Outcome = .open
  private var start = DocumentStart()
  private let bytesMax: Int
  /// How many bytes were pushed so far.
  public private(set) var byteCount = 0

  private enum Outcome {
    case open, finished
    case failed(any Error)
  }

  /// Creates a parser for one document. It reports to the handler and keeps it alive.
  public init(handler: any XMLPushHandler, limits: FeedLimits = FeedLimits()) {
    LibXML.start()
    bytesMax = limits.documentBytesMax
    collector = .allocate(capacity: 1)
    collector.initialize(to: ElementCollector(handler: handler, limits: limits))
    var callbacks = LibXML.callbacks
    context = xmlCreatePushParserCtxt(&callbacks, collector, nil, 0, nil)
    collector.pointee.context = context
    guard let context else {
      outcome = .failed(FeedError(.outOfMemory, "There is not enough memory.", line: 1, column: 1))
      return
    }
    // NOENT has the five entities of XML itself put into attributes as their characters; others
    // do not exist, since no declaration is taken.
    xmlCtxtUseOptions(context, Int32(XML_PARSE_NONET.rawValue | XML_PARSE_NOENT.rawValue))
  }

  /// Creates a parser that hands out the elements with one name, in any namespace and at any depth.
  /// Inside such an element it looks for no others.
  public convenience init(
    collecting name: String, limits: FeedLimits = FeedLimits(),
    _ body: @escaping (ParsedElement) throws -> Void
  ) {
    self.init(handler: NameHandler(name: name, body: body), limits: limits)
  }

  deinit {
    if let context {
      if let document = context.pointee.myDoc { xmlFreeDoc(document) }
      xmlFreeParserCtxt(context)
    }
    collector.pointee.deallocate()
    collector.deinitialize(count: 1)
    collector.deallocate()
  }

  /// Takes the next bytes of the document. The handler hears of what completed in them before this
  /// returns or throws.
  ///
  /// - Throws: ``FeedError``, or what the handler threw. Every later push throws it again. Called
  ///   from the handler itself, or after the end, it throws `misuse`.
  public func push(_ bytes: some Collection<UInt8>) throws {
    let done: Void? = try bytes.withContiguousStorageIfAvailable { try push($0) }
    if done == nil { try Array(bytes).withUnsafeBufferPointer { try push($0) } }
  }

  /// Tells the parser that the document is over. Again it does nothing.
  ///
  /// - Throws: ``FeedError`` if the document is not whole, or what the handler threw.
  public func finish() throws {
    if case .finished = outcome { return }
    try use { context in
      collector.pointee.isFinishing = true
      begin(context)
      return xmlParseChunk(context, nil, 0, 1)
    }
    outcome = .finished
  }

  // libxml2 takes a count of 32 bits, and copies what it is given.
  private static let pieceBytesMax = 32 << 10

  private func push(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    guard let first = bytes.baseAddress else { return }
    var offset = 0
    repeat {
      let count = min(bytes.count - offset, Self.pieceBytesMax)
      if byteCount + count > bytesMax {
        collector.pointee.fail(.limit, "The document has more than \(bytesMax) bytes.")
      }
      try use { context in
        byteCount += count
        let before =
          start.isOver ? 0 : start.take(UnsafeBufferPointer(start: first + offset, count: count))
        guard before < count else { return 0 }
        begin(context)
        return (first + offset + before).withMemoryRebound(to: CChar.self, capacity: count) {
          xmlParseChunk(context, $0, Int32(count - before), 0)
        }
      }
      offset += count
    } while offset < bytes.count
  }

  /// The document begins here: places are counted with what stood before it.
  private func begin(_ context: xmlParserCtxtPtr) {
    guard let bytes = start.end() else { return }
    if start.line > 1 || start.column > 1 {
      context.pointee.input?.pointee.line = Int32(start.line)
      context.pointee.input?.pointee.col = Int32(start.column)
    }
    guard !bytes.isEmpty else { return }
    bytes.withUnsafeBufferPointer { bytes in
      _ = bytes.withMemoryRebound(to: CChar.self) {
        xmlParseChunk(context, $0.baseAddress, Int32($0.count), 0)
      }
    }
  }

  private func use(_ body: (xmlParserCtxtPtr) -> Int32) throws {
    if case .failed(let error) = outcome { throw error }
    guard let context, !isBusy, case .open = outcome else {
      throw FeedError(
        .misuse, "The parser is finished, or was called from its own handler.", line: 1, column: 1)
    }
    isBusy = true
    defer { isBusy = false }
    if collector.pointee.failure == nil {
      _ = body(context)
      // Whatever said so in no other way.
      if context.pointee.wellFormed == 0 {
        collector.pointee.fail(.malformed, "The document is not well-formed.")
      }
    }
    guard let failure = collector.pointee.failure else { return }
    outcome = .failed(failure)
    throw failure
  }
}

/// Looks everywhere for elements of one name.
private final class NameHandler: XMLPushHandler {
  let name: String
  let body: (ParsedElement) throws -> Void

  init(name: String, body: @escaping (ParsedElement) throws -> Void) {
    self.name = name
    self.body = body
  }

  func interest(in tag: ParsedElement) -> XMLInterest { tag.name == name ? .collect : .enter }
  func collected(_ element: ParsedElement) throws { try body(element) }
}
