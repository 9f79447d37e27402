/// What a push parser does with an element.
public enum XMLInterest: Sendable {
  /// Looks at the elements directly inside, each by itself; drops the text between them.
  case enter
  /// Hands it out whole, as soon as its end tag has arrived.
  case collect
  /// Skips it and everything inside.
  case skip
}

/// What a push parser reports about a document, in the document's order.
///
/// ```swift
/// final class Titles: XMLPushHandler {
///   var titles: [String] = []
///   func interest(in tag: ParsedElement) -> XMLInterest {
///     tag.name == "title" ? .collect : tag.name == "advertisement" ? .skip : .enter
///   }
///   func collected(_ element: ParsedElement) { titles.append(String(element.text)) }
/// }
/// let parser = XMLPushParser(handler: Titles())
/// ```
///
/// *Thread*: that of ``XMLPushParser/push(_:)``. An error that you throw here ends the document,
/// and `push` throws it on.
public protocol XMLPushHandler: AnyObject {
  /// Says what to do with the root, or with an element whose parent was entered. What it gets has
  /// a name and attributes, and nothing inside.
  func interest(in tag: ParsedElement) throws -> XMLInterest
  /// Takes an element that was to be collected.
  func collected(_ element: ParsedElement) throws
  /// An element that was entered is over.
  func left() throws
}

extension XMLPushHandler {
  /// Does nothing.
  public func left() {}
}
