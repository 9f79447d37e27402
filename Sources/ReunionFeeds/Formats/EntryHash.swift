import FoundationEssentials
import ReunionCore

/// An id for an entry that has none: the same for the same contents.
enum EntryHash {
  /// `claimed`: the id that another entry of the document has as well; nil for none.
  static func id(of entry: FeedEntry, insteadOf claimed: String? = nil) -> String {
    var hash = SHA256()
    func add(_ text: String) {
      hash.update(Array(text.utf8) + [0])
    }
    func add(_ number: Double?) {
      add(number.map { String($0.bitPattern, radix: 16) } ?? "")
    }
    if let claimed {
      add(claimed)
      for link in entry.links + entry.enclosures { add(link.address) }
    }
    add(entry.title)
    add(entry.summary?.text ?? "")
    add(entry.content?.text ?? "")
    add(entry.published?.timeIntervalSinceReferenceDate)
    add(entry.location?.latitude)
    add(entry.location?.longitude)
    for point in entry.track?.segments.joined().map({ $0 }) ?? [] {
      add(point.location.latitude)
      add(point.location.longitude)
      add(point.time?.timeIntervalSinceReferenceDate)
    }
    return "sha256:" + Hexadecimal.text(hash.finish())
  }
}
