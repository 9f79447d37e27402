/// The names that a program knows, as cases of an enum. It looks up each one once in a document.
///
/// ```swift
/// enum Word: String { case title, point = "geo:point" }
/// let words = XMLVocabulary<Word>(prefixes: [
///   "http://www.w3.org/2005/Atom": "", "http://www.georss.org/georss": "geo",
/// ])
/// let parser = XMLPushParser(collecting: "entry") { entry in
///   for child in entry.children {
///     switch words[child] {
///     case .title: print(child.text)
///     case .point: print(child.text.numbers ?? [])
///     case nil: break
///     }
///   }
/// }
/// ```
///
/// A vocabulary is for one document: the names of the next one have other numbers.
///
/// *Thread*: that of the parser.
public final class XMLVocabulary<Word: RawRepresentable> where Word.RawValue == String {
  // A pointer, so that looking a word up takes no check of exclusive access.
  @usableFromInline let words: UnsafeMutablePointer<[Word?]>
  /// The prefix of each namespace that is known, whatever the document calls it.
  private let prefixes: [String: String]
  /// The prefix of names without a namespace.
  private let plainPrefix: String

  /// Creates a vocabulary. A word's raw value is the prefix that you give its namespace here, a
  /// colon and its name; only the name if the prefix is empty.
  ///
  /// - Parameters:
  ///   - prefixes: what to call each namespace; elements of other namespaces are no words.
  ///   - plainPrefix: what to call elements without a namespace.
  public init(prefixes: [String: String] = [:], plainPrefix: String = "") {
    self.prefixes = prefixes
    self.plainPrefix = plainPrefix
    words = .allocate(capacity: 1)
    words.initialize(to: [])
  }

  deinit {
    words.deinitialize(count: 1)
    words.deallocate()
  }

  /// The word for an element's name; nil if there is none.
  @inlinable public subscript(element: ParsedElement) -> Word? {
    let number = element.view.name
    if number >= words.pointee.count { learn(element.tree.storage.pointee.names) }
    return words.pointee[number]
  }

  @usableFromInline @inline(never)
  func learn(_ names: [QualifiedName]) {
    for name in names[words.pointee.count...] {
      let prefix = name.namespace.map { prefixes[$0] } ?? plainPrefix
      words.pointee.append(
        prefix.flatMap { Word(rawValue: $0.isEmpty ? name.local : "\($0):\(name.local)") })
    }
  }
}
