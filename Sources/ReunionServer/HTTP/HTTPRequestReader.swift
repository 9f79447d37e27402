/// Reads the head of an HTTP/1.1 request, strictly: what two readers could read differently is
/// refused, so that no proxy in front and no filter behind sees another request than this one.
///
/// Refused: bare CR or LF, NUL and other control characters, folded lines, blanks around a name, a
/// missing or second Host, Transfer-Encoding, and a Content-Length that is repeated or not a number.
///
/// *Source*: RFC 9112.
enum HTTPRequestReader {
  static let requestLineBytesMax = 8 << 10
  static let headBytesMax = 16 << 10
  static let fieldsMax = 100

  enum Outcome: Equatable {
    /// The head is not complete.
    case needsMore
    /// A whole head, of that many bytes.
    case request(HTTPRequest, bytes: Int)
    /// Not an acceptable request: the status to answer with, and one sentence.
    case refused(Int, String)
  }

  /// Reads a head from the start of `bytes`, which follow one another on a connection.
  static func read(_ bytes: [UInt8], from remoteAddress: String) -> Outcome {
    // Empty lines before a request are allowed, and some clients send one.
    let start = bytes.firstIndex { $0 != 0x0d && $0 != 0x0a } ?? bytes.endIndex
    guard start <= 4 else {
      return .refused(400, "Blank lines are no request: send a request line.")
    }
    guard let end = endOfHead(bytes, from: start) else {
      let count = bytes.count - start
      if !bytes[start...].contains(0x0a), count > requestLineBytesMax {
        return .refused(414, "The request line is longer than 8 KiB: send a shorter one.")
      }
      if count > headBytesMax {
        return .refused(431, "The header is larger than 16 KiB: send fewer fields.")
      }
      return .needsMore
    }
    guard end - start <= headBytesMax else {
      return .refused(431, "The header is larger than 16 KiB: send fewer fields.")
    }
    switch parse(bytes[start..<end], remoteAddress) {
    case .success(let request): return .request(request, bytes: end + 4)
    case .failure(let refusal): return .refused(refusal.status, refusal.sentence)
    }
  }

  private struct Refusal: Error {
    let status: Int
    let sentence: String

    init(_ status: Int, _ sentence: String) {
      self.status = status
      self.sentence = sentence
    }
  }

  /// Where the empty line begins that ends a head.
  private static func endOfHead(_ bytes: [UInt8], from start: Int) -> Int? {
    guard bytes.count - start >= 4 else { return nil }
    for index in start..<(bytes.count - 3)
    where bytes[index] == 0x0d && bytes[index + 1] == 0x0a && bytes[index + 2] == 0x0d
      && bytes[index + 3] == 0x0a
    {
      return index
    }
    return nil
  }

  private static func parse(
    _ head: ArraySlice<UInt8>, _ remoteAddress: String
  ) -> Result<HTTPRequest, Refusal> {
    Result { () throws(Refusal) in
      var lines = try split(head)
      guard let first = lines.popFirst(), first.count <= requestLineBytesMax else {
        throw Refusal(414, "The request line is longer than 8 KiB: send a shorter one.")
      }
      guard lines.count <= fieldsMax else {
        throw Refusal(431, "There are over 100 fields: send fewer.")
      }
      var headers = HTTPHeaders()
      for line in lines { try addField(line, to: &headers) }

      let parts = first.split(separator: 0x20, omittingEmptySubsequences: false)
      guard parts.count == 3, !parts[0].isEmpty else {
        throw Refusal(400, "The request line is malformed: send METHOD, PATH and HTTP/1.1.")
      }
      let version = String(decoding: parts[2], as: UTF8.self)
      guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
        throw Refusal(
          version.hasPrefix("HTTP/") ? 505 : 400, "The server speaks another version: use HTTP/1.1."
        )
      }
      guard let method = HTTPRequest.Method(rawValue: String(decoding: parts[0], as: UTF8.self))
      else {
        throw Refusal(501, "The method is unknown: use GET, HEAD, POST, PUT, PATCH or DELETE.")
      }
      guard let path = RequestPath(String(decoding: parts[1], as: UTF8.self)) else {
        throw Refusal(400, "The path is malformed: begin it with a slash, and leave out dots.")
      }
      let isHTTP11 = version == "HTTP/1.1"
      let hosts = headers.all("Host")
      guard hosts.count == 1 || (hosts.isEmpty && !isHTTP11) else {
        throw Refusal(400, "The Host is not clear: send exactly one.")
      }
      guard headers["Transfer-Encoding"] == nil else {
        throw Refusal(411, "The body has no length: send it with a Content-Length.")
      }
      return HTTPRequest(
        method: method, path: path, headers: headers, contentLength: try contentLength(headers),
        remoteAddress: remoteAddress,
        keepsAlive: isHTTP11 && !headers.tokens("Connection").contains("close"), isHTTP11: isHTTP11)
    }
  }

  /// The lines of a head; CR and LF come only together.
  private static func split(_ head: ArraySlice<UInt8>) throws(Refusal) -> ArraySlice<
    ArraySlice<UInt8>
  > {
    var lines: [ArraySlice<UInt8>] = []
    var start = head.startIndex
    for index in head.indices {
      switch head[index] {
      case 0x0a:
        guard index > start, head[index - 1] == 0x0d else {
          throw Refusal(400, "A bare LF came: end lines with CR and LF.")
        }
        lines.append(head[start..<(index - 1)])
        start = index + 1
      case 0x0d:
        guard index + 1 < head.endIndex, head[index + 1] == 0x0a else {
          throw Refusal(400, "A bare CR came: end lines with CR and LF.")
        }
      case 0x00...0x08, 0x0b...0x1f, 0x7f:
        throw Refusal(400, "A control character came: leave it out.")
      default: break
      }
    }
    lines.append(head[start...])
    return lines[...]
  }

  private static func addField(
    _ line: ArraySlice<UInt8>, to headers: inout HTTPHeaders
  ) throws(Refusal) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
      line[..<colon].allSatisfy(\.isTokenByte)
    else { throw Refusal(400, "A header field is malformed: send NAME, a colon and a value.") }
    let value = String(decoding: line[(colon + 1)...], as: UTF8.self).trimmed
    headers.add(String(decoding: line[..<colon], as: UTF8.self), String(value))
  }

  private static func contentLength(_ headers: HTTPHeaders) throws(Refusal) -> UInt64? {
    let values = headers.all("Content-Length")
    guard let value = values.first else { return nil }
    guard values.count == 1, value.utf8.count <= 19, !value.isEmpty,
      value.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
      let length = UInt64(value)
    else { throw Refusal(400, "The Content-Length is not one number: send one.") }
    return length
  }
}

extension UInt8 {
  /// True for a byte of a header name, as RFC 9110 has it.
  fileprivate var isTokenByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
  }
}
