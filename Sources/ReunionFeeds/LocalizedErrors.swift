public import FoundationEssentials

// So that `error.localizedDescription`, which an app shows, is the sentence that names the remedy.

extension FeedError: LocalizedError {
  /// The sentence.
  public var errorDescription: String? { description }
}

extension FeedDownloadError: LocalizedError {
  /// The sentence.
  public var errorDescription: String? { description }
}
