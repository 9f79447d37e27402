import Foundation
import ReunionFeeds

/// Where a feed comes from.
enum FeedSource {
  case web(URL)
  case file(String)

  init(_ text: String) throws {
    guard text.contains("://") else {
      guard !text.isEmpty else { throw CommandFailure(2, "Say which feed: an address or a file.") }
      self = .file(URL(filePath: text).standardizedFileURL.path)
      return
    }
    // Schemes may be written in any case; those who load an address know only the small ones.
    let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    let scheme = parts[0].lowercased()
    guard ["http", "https"].contains(scheme), let url = URL(string: "\(scheme)://\(parts[1])"),
      url.host()?.isEmpty == false
    else { throw CommandFailure(2, "\(text) is not an http or https address.") }
    self = .web(url)
  }

  /// What the feed's record is found by.
  var name: String {
    switch self {
    case .web(let url): url.absoluteString
    case .file(let path): path
    }
  }
}
