package import Foundation

/// A server of HTTP/1.1 on this machine that sends exactly what it is told, and when.
package final class FeedServer: @unchecked Sendable {
  /// A request: its path, and its header fields by name in lower case.
  package struct Request: Sendable {
    package var path = ""
    /// The port at which the server was asked.
    package var port: UInt16 = 0
    package var fields: [String: String] = [:]
  }

  /// What is sent, and whether the connection is broken off after it.
  package struct Answer: Sendable {
    package var status = "200 OK"
    package var fields: [String: String] = [:]
    /// Sent one by one.
    package var pieces: [[UInt8]] = []
    /// Waited for before each piece but the first; five minutes at most.
    package var gate: DispatchSemaphore?
    /// What Content-Length says; that of the pieces by default. More of it means broken off.
    package var length: Int?

    package init(_ status: String = "200 OK", _ fields: [String: String] = [:], body: [UInt8] = [])
    {
      self.status = status
      self.fields = fields
      pieces = [body]
    }
  }

  package let port: UInt16
  private let descriptor: Int32
  private let lock = NSLock()
  private var seen: [Request] = []
  private let respond: @Sendable (Request) -> Answer

  package init(_ respond: @escaping @Sendable (Request) -> Answer) throws {
    self.respond = respond
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listening = descriptor
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        bind(listening, generic, size) == 0 && listen(listening, 16) == 0
          && getsockname(listening, generic, &size) == 0
      }
    }
    guard status else { throw CocoaError(.featureUnsupported) }
    port = UInt16(bigEndian: address.sin_port)
    let server = self
    Thread.detachNewThread {
      while true {
        let connection = accept(listening, nil, nil)
        if connection >= 0 {
          _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
          Thread.detachNewThread { server.serve(connection) }
        } else if errno != EINTR && errno != ECONNABORTED {
          return
        }
      }
    }
  }

  /// Stops to listen.
  package func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  package var requests: [Request] { lock.withLock { seen } }

  package func url(_ path: String) -> URL {
    URL(string: "http://127.0.0.1:\(port)\(path)") ?? URL(filePath: "/")
  }

  private func serve(_ connection: Int32) {
    defer { close(connection) }
    var head: [UInt8] = []
    var byte: UInt8 = 0
    while recv(connection, &byte, 1, 0) == 1 {
      head.append(byte)
      if head.suffix(4) == Array("\r\n\r\n".utf8)[...] { break }
    }
    guard var request = Self.request(head) else { return }
    request.port = port
    lock.withLock { seen.append(request) }
    let answer = respond(request)
    var lines = ["HTTP/1.1 \(answer.status)", "Connection: close"]
    lines += answer.fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    if !answer.status.hasPrefix("304") {
      lines.append("Content-Length: \(answer.length ?? answer.pieces.reduce(0) { $0 + $1.count })")
    }
    guard send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8), connection) else {
      return
    }
    for (index, piece) in answer.pieces.enumerated() {
      if index > 0 { _ = answer.gate?.wait(timeout: .now() + 300) }
      guard send(piece, connection) else { return }
    }
    shutdown(connection, Int32(SHUT_WR))
    // What the client still says, so that no reset overtakes the answer.
    while recv(connection, &byte, 1, 0) == 1 {}
  }

  private func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Foundation.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  private static func request(_ head: [UInt8]) -> Request? {
    let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count == 3 else { return nil }
    var request = Request(path: String(words[1]))
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      request.fields[line[..<colon].lowercased()] =
        line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    return request
  }
}
