extension AsyncSequence where Element: Collection<UInt8> {
  /// The entries of the feed in these bytes, as they arrive.
  ///
  /// ```swift
  /// guard let address = URL(string: "https://example.org/quakes.atom"),
  ///   let download = try await FeedDownload.start(address)
  /// else { return }
  /// for try await entry in download.feedEntries() { print(entry.title) }
  /// ```
  ///
  /// An error comes after the entries that were whole before it: a ``FeedError``, or the error of
  /// the bytes' own sequence.
  public func feedEntries(limits: FeedLimits = FeedLimits()) -> FeedEntries<Self> {
    FeedEntries(chunks: self, limits: limits)
  }
}

/// Entries of a feed whose bytes are still arriving.
public struct FeedEntries<Chunks: AsyncSequence>: AsyncSequence
where Chunks.Element: Collection<UInt8> {
  let chunks: Chunks
  let limits: FeedLimits

  /// Starts at the first entry.
  public func makeAsyncIterator() -> Iterator {
    Iterator(chunks: chunks.makeAsyncIterator(), parser: FeedParser(limits: limits))
  }

  /// Goes through the entries.
  public struct Iterator: AsyncIteratorProtocol {
    var chunks: Chunks.AsyncIterator
    let parser: FeedParser
    /// Entries that are whole, the next one last.
    var waiting: [FeedEntry] = []
    var failure: (any Error)?
    var isFinished = false

    /// The next entry; nil after the last.
    public mutating func next() async throws -> FeedEntry? {
      while waiting.isEmpty {
        if let failure { throw failure }
        if isFinished { return nil }
        await take()
      }
      return waiting.popLast()
    }

    private mutating func take() async {
      var entries: [FeedEntry] = []
      do {
        if let chunk = try await chunks.next() {
          try parser.push(chunk) { entries.append($0) }
        } else {
          isFinished = true
          try parser.finish { entries.append($0) }
        }
      } catch {
        failure = error
      }
      waiting = entries.reversed()
    }
  }
}
