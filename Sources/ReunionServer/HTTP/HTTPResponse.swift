#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A whole answer in memory.
public struct HTTPResponse: Sendable, Equatable {
  /// The status code.
  public var status: Int
  /// Header fields. The server adds Content-Length, Date and Connection.
  public var headers: HTTPHeaders
  /// The body. For HEAD the server measures it and does not send it.
  public var body: [UInt8]

  /// Makes an answer from its parts.
  public init(_ status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// An answer in plain text. To say what went wrong, use `error`.
  public static func text(_ status: Int, _ text: String) -> HTTPResponse {
    HTTPResponse(
      status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
  }
}

/// The head of an answer as bytes.
enum HTTPResponseHead {
  static let mayContinue = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  /// Writes a head. A `length` of `nil` leaves Content-Length out, as 1xx, 204 and 304 must.
  static func encode(
    _ status: Int, _ headers: HTTPHeaders, length: UInt64?, keepsAlive: Bool
  ) -> [UInt8] {
    var text = "HTTP/1.1 \(status) \(reason(status))\r\n"
    for field in headers.fields { text += "\(field.name): \(field.value)\r\n" }
    if status != 101 {
      text += "Date: \(date(time(nil)))\r\nX-Content-Type-Options: nosniff\r\n"
      if let length { text += "Content-Length: \(length)\r\n" }
      if !keepsAlive { text += "Connection: close\r\n" }
    }
    return Array((text + "\r\n").utf8)
  }

  /// A date as HTTP writes it, whatever the locale.
  static func date(_ seconds: time_t) -> String {
    var seconds = seconds
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let day = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][Int(parts.tm_wday)]
    let month = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ][Int(parts.tm_mon)]
    return "\(day), \(two(parts.tm_mday)) \(month) \(parts.tm_year + 1900) "
      + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 101: "Switching Protocols"
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 206: "Partial Content"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 411: "Length Required"
    case 413: "Content Too Large"
    case 415: "Unsupported Media Type"
    case 416: "Range Not Satisfiable"
    case 422: "Unprocessable Content"
    case 426: "Upgrade Required"
    case 429: "Too Many Requests"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 507: "Insufficient Storage"
    default: "Status"
    }
  }
}
