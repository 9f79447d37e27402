import Foundation
import ReunionFeeds

/// Where a feed comes from.
enum FeedSource: Sendable {
  case web(URL, mayLeadInside: Bool)
  case file(URL)

  /// An address that begins with http: or https:, or a file's path. An address of the internet may lead
  /// to this machine and its networks only where that is said.
  init(_ text: String, mayLeadInside: Bool) throws {
    guard let colon = text.range(of: "://"), !text[..<colon.lowerBound].contains("/") else {
      self = .file(URL(filePath: text))
      return
    }
    let url = URL(string: text)
    switch url?.scheme?.lowercased() {
    case "http", "https":
      guard let url, url.host()?.isEmpty == false else { break }
      self = .web(url, mayLeadInside: mayLeadInside)
      return
    case "file":
      guard let url else { break }
      self = .file(url)
      return
    default: break
    }
    throw Failure("\(text) is no address of a feed. Give one that begins with https://, or a file.")
  }

  /// What it is called before people: never a folder of this machine.
  var name: String {
    switch self {
    case .web(let url, _): url.host() ?? "the feed"
    case .file(let url): url.lastPathComponent
    }
  }

  /// The whole address, for the terminal and for telling feeds apart.
  var address: String {
    switch self {
    case .web(let url, _): url.absoluteString
    case .file(let url): url.path
    }
  }

  /// Asks for what is newer than a version; nil where it is as it was.
  ///
  /// - Throws: `Failure` in a sentence for people: it does not answer, or there is no such file.
  func read(since version: FeedVersion?) async throws -> FeedAnswer? {
    switch self {
    case .web(let url, let mayLeadInside):
      try await web(url, mayLeadInside: mayLeadInside, since: version)
    case .file(let url): try Self.file(url, since: version)
    }
  }

  private func web(
    _ url: URL, mayLeadInside: Bool, since version: FeedVersion?
  ) async throws -> FeedAnswer? {
    let known = FeedValidators(
      entityTag: version?.entityTag, lastModified: version?.lastModified)
    do {
      guard
        let download = try await FeedDownload.start(
          url, unless: known, secondsMax: 30, mayLeadInside: mayLeadInside)
      else { return nil }
      let (tag, date) = (download.validators.entityTag, download.validators.lastModified)
      let newer =
        tag == nil && date == nil ? nil : FeedVersion(entityTag: tag, lastModified: date)
      return FeedAnswer(version: newer, chunks: download)
    } catch let error as FeedDownloadError {
      throw failure(of: error)
    }
  }

  /// What a failed download means, without the address: it may hold what is for nobody else.
  func failure(of error: FeedDownloadError) -> Failure {
    let sentence =
      if let status = error.status {
        "\(name) answers \(status)."
      } else if error.code == .leadsInside {
        "\(name) leads inside of this machine's network. If it may, start with --inside."
      } else if error.code == .tooLong {
        "\(name) sends more than a feed may have."
      } else if error.code == .brokenOff {
        "The connection to \(name) broke off."
      } else {
        "\(name) cannot be reached: it is away, or this machine is offline."
      }
    return Failure(sentence, retryAfter: error.retryAfterSeconds)
  }

  /// Refuses a file that cannot be read. A feed on the web may be away for now.
  func requireFile() throws {
    guard case .file(let url) = self else { return }
    do {
      _ = try Self.open(url)
    } catch {
      throw Failure(
        "There is no feed to read at \(url.path). Name a file, or an address that begins with https://."
      )
    }
  }

  private static func open(_ url: URL) throws -> (file: FileHandle, status: stat) {
    guard let file = try? FileHandle(forReadingFrom: url) else {
      throw Failure("\(url.lastPathComponent) cannot be read.")
    }
    var status = stat()
    guard fstat(file.fileDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(
        "\(url.lastPathComponent) is not a file. Name the file of a feed, or its address.")
    }
    return (file, status)
  }

  private static func file(_ url: URL, since version: FeedVersion?) throws -> FeedAnswer? {
    let (file, status) = try open(url)
    let time = status.st_mtim
    let now = FeedVersion(
      entityTag: "\(status.st_ino) \(status.st_size) \(time.tv_sec).\(time.tv_nsec)")
    if now == version { return nil }
    let chunks = AsyncThrowingStream<Data, any Error> {
      guard let bytes = try file.read(upToCount: 64 * 1024), !bytes.isEmpty else { return nil }
      return bytes
    }
    return FeedAnswer(version: now, chunks: chunks)
  }
}

/// A feed that is another than before.
struct FeedAnswer: Sendable {
  /// The version that is held once all bytes are taken; nil where its server names none.
  let version: FeedVersion?
  /// The bytes, as they arrive.
  let chunks: any AsyncSequence<Data, any Error> & Sendable
}

/// What tells a version of a feed from others: what its server said of it, or its file's size and
/// time.
struct FeedVersion: Codable, Equatable {
  var entityTag: String?
  var lastModified: String?
}
