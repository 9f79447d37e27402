/// Reads Atom, RFC 4287.
enum AtomFormat {
  static func interest(_ word: FeedWord) -> XMLInterest {
    switch word {
    case .atomFeed: .enter
    case .atomEntry, .atomID, .atomTitle, .atomSubtitle, .atomLink, .atomUpdated: .collect
    default: .skip
    }
  }

  static func describe(_ feed: inout Feed, _ element: ElementView, _ words: Vocabulary) {
    switch words[element] {
    case .atomID: feed.id = element.text.string
    case .atomTitle: feed.title = plainText(element, words)
    case .atomSubtitle: feed.subtitle = plainText(element, words)
    case .atomLink: if let link = link(element, words) { feed.links.append(link) }
    case .atomUpdated: feed.updated = DateText.date(element.text)
    default: break
    }
  }

  static func entry(_ element: ElementView, _ words: Vocabulary) -> FeedEntry {
    var entry = FeedEntry()
    var place = LocationParts()
    element.forEachChild { take($0, words, &entry, &place) }
    place.finish(&entry)
    return entry
  }

  /// Takes one element of an entry, also where one is in an item of RSS.
  static func take(
    _ child: ElementView, _ words: Vocabulary, _ entry: inout FeedEntry,
    _ place: inout LocationParts
  ) {
    switch words[child] {
    case .atomID: entry.id = child.text.string
    case .atomTitle: entry.title = plainText(child, words)
    case .atomUpdated: entry.updated = DateText.date(child.text)
    case .atomPublished: entry.published = DateText.date(child.text)
    case .atomSummary: entry.summary = text(child, words)
    case .atomContent: takeContent(child, words, &entry)
    case .atomCategory:
      if let category = category(child, words) { entry.categories.append(category) }
    case .atomAuthor: entry.authors.append(person(child, words))
    case .atomLink:
      guard let link = link(child, words) else { return }
      if link.relation == "enclosure" {
        entry.enclosures.append(link)
      } else {
        entry.links.append(link)
      }
    default: _ = place.take(child, words)
    }
  }

  static func link(_ element: ElementView, _ words: Vocabulary) -> FeedLink? {
    var link = FeedLink("")
    element.forEachAttribute { number, value in
      switch words[attribute: number] {
      case .href: link.address = value.string
      case .rel: link.relation = value.string
      case .type: link.mediaType = value.nonemptyString
      case .title: link.title = value.nonemptyString
      case .length: link.byteCount = value.byteCount
      default: break
      }
    }
    return link.address.isEmpty ? nil : link
  }

  private static func category(_ element: ElementView, _ words: Vocabulary) -> FeedCategory? {
    var category = FeedCategory("")
    element.forEachAttribute { number, value in
      switch words[attribute: number] {
      case .term: category.term = value.string
      case .scheme: category.scheme = value.nonemptyString
      case .label: category.label = value.nonemptyString
      default: break
      }
    }
    return category.term.isEmpty ? nil : category
  }

  private static func person(_ element: ElementView, _ words: Vocabulary) -> FeedPerson {
    var person = FeedPerson(name: "")
    element.forEachChild { child in
      switch words[child] {
      case .atomName: person.name = child.text.string
      case .atomEmail: person.email = child.text.nonemptyString
      case .atomURI: person.address = child.text.nonemptyString
      default: break
      }
    }
    return person
  }

  // Texts

  private static func plainText(_ element: ElementView, _ words: Vocabulary) -> String {
    switch kind(element, words) {
    case .html: HTMLText.plain(element.text.string)
    // The text of XHTML is what its elements hold.
    default: element.text.string
    }
  }

  private static func text(_ element: ElementView, _ words: Vocabulary) -> FeedText {
    let kind = kind(element, words)
    switch kind {
    case .xhtml: return FeedText(kind, markup(element))
    case .media(let type) where type.hasSuffix("/xml") || type.hasSuffix("+xml"):
      return FeedText(kind, element.markup)
    default: return FeedText(kind, element.text.string)
    }
  }

  private static func takeContent(
    _ element: ElementView, _ words: Vocabulary, _ entry: inout FeedEntry
  ) {
    var source: String?
    element.forEachAttribute { number, value in
      if words[attribute: number] == .src { source = value.nonemptyString }
    }
    guard let source else { return entry.content = text(element, words) }
    var link = FeedLink(source, relation: "content")
    if case .media(let type) = kind(element, words) { link.mediaType = type }
    entry.links.append(link)
  }

  private static func kind(_ element: ElementView, _ words: Vocabulary) -> FeedText.Kind {
    var kind = FeedText.Kind.plain
    element.forEachAttribute { number, value in
      guard words[attribute: number] == .type else { return }
      switch value.string {
      case "text", "text/plain", "": kind = .plain
      case "html", "text/html": kind = .html
      case "xhtml", "application/xhtml+xml": kind = .xhtml
      case let type: kind = .media(type)
      }
    }
    return kind
  }

  /// What is inside of the one `div` that RFC 4287 puts around XHTML.
  private static func markup(_ element: ElementView) -> String {
    var children: [ElementView] = []
    element.forEachChild { children.append($0) }
    let markup = (children.count == 1 ? children[0] : element).markup
    return Array(markup.utf8).withUnsafeBufferPointer { $0.string }
  }
}
