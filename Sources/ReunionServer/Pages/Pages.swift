import Foundation
import ReunionCore

/// The files of a page, held in memory: a few dozen kilobytes that every guest loads.
///
/// A file `name.gz` beside `name` is its compressed form, for clients that accept it.
public struct Pages: Sendable {
  private struct Page {
    var path: String
    var contentType: String
    var bytes: [UInt8]
    var compressed: [UInt8]?
    var tag: EntityTag
  }

  private var pages: [String: Page] = [:]

  /// What a page may load and run: its own files alone.
  static let policy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    + "img-src 'self' blob: data:; connect-src 'self'; manifest-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// No pages.
  public init() {}

  /// Adds the files of a folder and of the folders in it, under a path such as `/` or `/lib/`.
  ///
  /// - Throws: `noPages` if the folder or a file in it cannot be read.
  public mutating func add(folder: String, at prefix: String) throws(ServerError) {
    let root = URL(filePath: folder, directoryHint: .isDirectory)
    do {
      try add(files: FileManager.default.subpathsOfDirectory(atPath: root.path), of: root, prefix)
    } catch {
      throw ServerError(
        .noPages,
        "The pages in \(folder) cannot be read. Name the folder that has them.")
    }
  }

  private mutating func add(files names: [String], of root: URL, _ prefix: String) throws {
    for name in names where !name.hasSuffix(".gz") {
      let file = root.appending(path: name)
      guard let type = Self.contentType(file.pathExtension) else { continue }
      let bytes = Array(try Data(contentsOf: file))
      let compressed = try? Array(Data(contentsOf: root.appending(path: "\(name).gz")))
      let tag = EntityTag(String(Hexadecimal.text(SHA256.hash(bytes)).prefix(32)))
      pages[prefix + name] = Page(
        path: prefix + name, contentType: type, bytes: bytes, compressed: compressed, tag: tag)
    }
  }

  /// Gives a page a second path.
  public mutating func alias(_ path: String, of other: String) { pages[path] = pages[other] }

  func answer(_ request: HTTPRequest) -> HTTPResponse? {
    guard request.method == .get || request.method == .head,
      let page = pages["/" + request.path.components.joined(separator: "/")]
    else { return nil }
    var headers: HTTPHeaders = [
      "ETag": page.tag.quoted, "Cache-Control": "no-cache", "Vary": "Accept-Encoding",
      "Referrer-Policy": "no-referrer",
    ]
    if page.tag.isNamed(inIfNoneMatch: request.header("If-None-Match")) {
      return HTTPResponse(304, headers: headers)
    }
    headers.set("Content-Type", page.contentType)
    if page.contentType.hasPrefix("text/html") {
      headers.set("Content-Security-Policy", Self.policy)
    }
    if let compressed = page.compressed,
      request.header("Accept-Encoding")?.contains("gzip") == true
    {
      headers.set("Content-Encoding", "gzip")
      return HTTPResponse(200, headers: headers, body: compressed)
    }
    return HTTPResponse(200, headers: headers, body: page.bytes)
  }

  /// There is no such page: a small one for people, JSON for programs.
  static func unknown(_ request: HTTPRequest) -> HTTPResponse {
    let sentence = "There is nothing at this address. Look for typing errors in it."
    guard request.header("Accept")?.contains("text/html") == true else {
      return .error(404, sentence)
    }
    let page = """
      <!doctype html><html lang="en"><meta charset="utf-8">
      <meta name="viewport" content="width=device-width"><title>Nothing here</title>
      <h1>Nothing here</h1><p>\(sentence) <a href="/">Go to the start</a>.</p>

      """
    let headers: HTTPHeaders = [
      "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy,
      "Referrer-Policy": "no-referrer",
    ]
    return HTTPResponse(404, headers: headers, body: Array(page.utf8))
  }

  private static func contentType(_ pathExtension: String) -> String? {
    switch pathExtension {
    case "html": "text/html; charset=utf-8"
    case "js", "mjs": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "json", "webmanifest": "application/json"
    case "wasm": "application/wasm"
    case "txt": "text/plain; charset=utf-8"
    default: nil
    }
  }
}
