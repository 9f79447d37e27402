/// Reads RSS 0.91 to 2.0, and RSS 1.0 and 0.90, which are RDF.
enum RSSFormat {
  static func interest(_ word: FeedWord) -> XMLInterest {
    switch word {
    case .rss, .rdf, .channel: .enter
    case .item, .title, .link, .description, .pubDate, .lastBuildDate, .dcDate, .atomLink: .collect
    default: .skip
    }
  }

  static func describe(_ feed: inout Feed, _ element: ElementView, _ words: Vocabulary) {
    switch words[element] {
    case .title: feed.title = element.text.string
    case .description: feed.subtitle = element.text.string
    case .link:
      if let address = element.text.nonemptyString { feed.links.append(FeedLink(address)) }
    case .atomLink: if let link = AtomFormat.link(element, words) { feed.links.append(link) }
    case .lastBuildDate, .dcDate: feed.updated = DateText.date(element.text)
    case .pubDate: if feed.updated == nil { feed.updated = DateText.date(element.text) }
    default: break
    }
  }

  static func entry(_ element: ElementView, _ words: Vocabulary) -> FeedEntry {
    var entry = FeedEntry()
    var place = LocationParts()
    element.forEachAttribute { number, value in
      if words[attribute: number] == .about { entry.id = value.string }
    }
    element.forEachChild { child in
      switch words[child] {
      case .guid: entry.id = child.text.string
      case .dcIdentifier: if entry.id.isEmpty { entry.id = child.text.string }
      case .title: entry.title = child.text.string
      case .link:
        if let address = child.text.nonemptyString { entry.links.append(FeedLink(address)) }
      case .description: entry.summary = FeedText(.html, child.text.string)
      case .encoded: entry.content = FeedText(.html, child.text.string)
      case .author: if let author = author(child.text) { entry.authors.append(author) }
      case .dcCreator:
        if let name = child.text.nonemptyString { entry.authors.append(FeedPerson(name: name)) }
      case .pubDate: entry.published = DateText.date(child.text)
      case .dcDate: entry.updated = DateText.date(child.text)
      case .category: takeCategory(child, words, &entry)
      case .dcSubject:
        if let term = child.text.nonemptyString { entry.categories.append(FeedCategory(term)) }
      case .enclosure, .mediaContent:
        if let file = enclosure(child, words), !entry.enclosures.contains(file) {
          entry.enclosures.append(file)
        }
      default: AtomFormat.take(child, words, &entry, &place)
      }
    }
    place.finish(&entry)
    return entry
  }

  /// An e-mail address, with a name in parentheses or without: `editor@example.org (The Editor)`.
  private static func author(_ bytes: UnsafeBufferPointer<UInt8>) -> FeedPerson? {
    guard let text = bytes.nonemptyString else { return nil }
    guard text.contains("@") else { return FeedPerson(name: text) }
    guard let open = text.firstIndex(of: "("), text.last == ")" else {
      return FeedPerson(name: "", email: text)
    }
    let name = text[text.index(after: open)...].dropLast()
    let email = text[..<open].split(separator: " ").joined(separator: " ")
    return FeedPerson(name: String(name), email: email.isEmpty ? nil : email)
  }

  private static func takeCategory(
    _ element: ElementView, _ words: Vocabulary, _ entry: inout FeedEntry
  ) {
    guard let term = element.text.nonemptyString else { return }
    var category = FeedCategory(term)
    element.forEachAttribute { number, value in
      if words[attribute: number] == .domain { category.scheme = value.nonemptyString }
    }
    entry.categories.append(category)
  }

  private static func enclosure(_ element: ElementView, _ words: Vocabulary) -> FeedLink? {
    var link = FeedLink("", relation: "enclosure")
    element.forEachAttribute { number, value in
      switch words[attribute: number] {
      case .url: link.address = value.string
      case .type: link.mediaType = value.nonemptyString
      case .length, .fileSize: link.byteCount = value.byteCount
      default: break
      }
    }
    return link.address.isEmpty ? nil : link
  }
}
