/// The names that a program knows, as cases of an enum; each is looked up once for a document.
///
/// ```swift
/// enum Word: String { case title, point = "geo:point" }
/// let words = XMLVocabulary<Word>(prefixes: [
///   "http://www.w3.org/2005/Atom": "", "http://www.georss.org/georss": "geo",
/// ])
/// for child in entry.children {
///   switch words[child] {
///   case .title: print(child.text)
///   case .point: print(child.text.numbers ?? [])
///   case nil: break
///   }
/// }
/// ```
///
/// One is for one document: the next one's names have other numbers.
///
/// *Thread*: that of the parser.
public final class XMLVocabulary<Word: RawRepresentable> where Word.RawValue == String {
  // A pointer, so that looking a word up takes no check of exclusive access.
  @usableFromInline let words: UnsafeMutablePointer<[Word?]>
  /// The prefix of each namespace that is known, whatever the document calls it.
  private let prefixes: [String: String]
  /// The prefix of names without a namespace.
  private let plainPrefix: String

  /// Creates a vocabulary. A word's raw value is the prefix here of its namespace, a colon and its
  /// name; the name alone where the prefix is empty.
  ///
  /// - Parameters:
  ///   - prefixes: what to call each namespace; elements of others are no words.
  ///   - plainPrefix: what to call none at all.
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

  /// The word that an element's name is; nil for none.
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
