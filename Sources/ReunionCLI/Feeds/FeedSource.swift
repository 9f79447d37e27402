import Foundation
import ReunionFeeds

/// Where a feed comes from.
enum FeedSource {
  case web(URL)
  case file(String)

  init(_ text: String) throws {
    if let url = URL(string: text), let scheme = url.scheme, text.contains("://") {
      guard ["http", "https"].contains(scheme.lowercased()), url.host() != nil else {
        throw CommandFailure(2, "\(text) is no address of http or https.")
      }
      self = .web(url)
    } else {
      self = .file(URL(filePath: text).standardizedFileURL.path)
    }
  }

  /// What the feed's record is found by.
  var name: String {
    switch self {
    case .web(let url): url.absoluteString
    case .file(let path): path
    }
  }
}
