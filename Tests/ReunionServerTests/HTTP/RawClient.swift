import Glibc

/// A TCP client that sends exactly the bytes it is told, well-formed or not.
final class RawClient {
  let descriptor: Int32
  private var held: [UInt8] = []

  /// Reads fail after five minutes of silence.
  init(
    address host: String = "127.0.0.1", port: UInt16, receiveBufferBytes: Int32? = nil,
    from source: String? = nil
  ) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var wait = timeval(tv_sec: 300, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    if var size = receiveBufferBytes {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr(host)
    if let source {
      var own = sockaddr_in()
      own.sin_family = sa_family_t(AF_INET)
      own.sin_addr.s_addr = inet_addr(source)
      let bound = withUnsafePointer(to: &own) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard bound == 0 else { throw Failure(code: errno) }
    }
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw Failure(code: errno) }
  }

  struct Failure: Error { let code: Int32 }

  deinit { close(descriptor) }

  /// True where all bytes were taken; false where the server has closed.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Some bytes; empty at the end of the stream, at an error and after the longest silence.
  func receive() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return Array(buffer.prefix(max(0, count)))
  }

  func receive(exactly count: Int) -> [UInt8] {
    while held.count < count {
      let part = receive()
      if part.isEmpty { break }
      held += part
    }
    defer { held.removeFirst(min(count, held.count)) }
    return Array(held.prefix(count))
  }

  /// One answer: its head, and its body by Content-Length (none after HEAD).
  func receiveAnswer(hasBody: Bool = true) -> Answer {
    let end = Array("\r\n\r\n".utf8)
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual(end) {
      let byte = receive(exactly: 1)
      if byte.isEmpty { break }
      head += byte
    }
    var answer = Answer(head: String(decoding: head, as: UTF8.self))
    if hasBody, answer.status != 304, answer.status != 204, answer.status >= 200 {
      answer.body = receive(exactly: answer["Content-Length"].flatMap { Int($0) } ?? 0)
    }
    return answer
  }

  func ask(_ text: String, hasBody: Bool = true) -> Answer {
    send(text)
    return receiveAnswer(hasBody: hasBody)
  }

  /// True where the server ends the connection without another byte; silence is no end.
  var isEnded: Bool {
    guard held.isEmpty else { return false }
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, 0)
    return count == 0 || count < 0 && errno == ECONNRESET
  }
}

struct Answer {
  let head: String
  var body: [UInt8] = []

  var status: Int { Int(head.split(separator: " ").dropFirst().first ?? "0") ?? 0 }
  var text: String { String(decoding: body, as: UTF8.self) }

  subscript(name: String) -> String? {
    for line in head.split(separator: "\r\n").dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2, parts[0].lowercased() == name.lowercased() {
        return parts[1].drop { $0 == " " }.description
      }
    }
    return nil
  }
}

/// Asks once, on a connection of its own.
func ask(_ port: UInt16, _ text: String, hasBody: Bool = true) throws -> Answer {
  try RawClient(port: port).ask(text, hasBody: hasBody)
}

func get(_ path: String, _ fields: String...) -> String {
  request("GET", path, fields)
}

func request(_ method: String, _ path: String, _ fields: [String] = []) -> String {
  "\(method) \(path) HTTP/1.1\r\nHost: test\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
}
