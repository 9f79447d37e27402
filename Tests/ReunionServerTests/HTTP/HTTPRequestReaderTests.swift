import Testing

@testable import ReunionServer

@Suite struct HTTPRequestReaderTests {
  private func read(_ text: String) -> HTTPRequestReader.Outcome {
    HTTPRequestReader.read(Array(text.utf8), from: "127.0.0.1")
  }

  private func status(_ text: String) -> Int? {
    if case .refused(let status, _) = read(text) { status } else { nil }
  }

  @Test func `reads a request at every place where its bytes may be cut`() throws {
    let text = "PATCH /a/b?c=1 HTTP/1.1\r\nHost: x:1\r\nUpload-Offset: 7\r\nEmpty:\r\n\r\n"
    let bytes = Array((text + "rest").utf8)
    for count in 0..<text.utf8.count {
      #expect(HTTPRequestReader.read(Array(bytes.prefix(count)), from: "") == .needsMore)
    }
    guard case .request(let request, let count) = HTTPRequestReader.read(bytes, from: "::1") else {
      Issue.record("The request was not read.")
      return
    }
    #expect(count == text.utf8.count)
    #expect(request.method == .patch)
    #expect(request.path.components == ["a", "b"])
    #expect(request.path.query("c") == "1")
    #expect(request.header("upload-offset") == "7")
    #expect(request.header("EMPTY") == "")
    #expect(request.header("none") == nil)
    #expect(request.contentLength == nil)
    #expect(request.remoteAddress == "::1")
    #expect(request.keepsAlive)
  }

  @Test(arguments: HTTPRequest.Method.allCases)
  func `knows the method`(_ method: HTTPRequest.Method) {
    guard case .request(let request, _) = read("\(method.rawValue) / HTTP/1.1\r\nHost: x\r\n\r\n")
    else {
      Issue.record("The request was not read.")
      return
    }
    #expect(request.method == method)
  }

  @Test(arguments: [
    ("BREW / HTTP/1.1\r\nHost: x\r\n\r\n", 501), ("get / HTTP/1.1\r\nHost: x\r\n\r\n", 501),
    ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505), ("GET / FTP/1.1\r\nHost: x\r\n\r\n", 400),
    ("GET /\r\nHost: x\r\n\r\n", 400), ("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\r\n a\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\rA\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: \u{0}\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: x\r\n: a\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: x\r\nabc\r\n\r\n", 400), ("\r\n\r\n\r\n\r\n", 400),
    ("GET /../ HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n", 501),
    ("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", 411),
    ("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: x\r\n\r\n", 411),
  ])
  func `refuses what two readers could read differently`(_ text: String, _ expected: Int) {
    #expect(status(text) == expected)
  }

  @Test(arguments: [
    "-1", "+1", "1,1", "0x10", "", " ", "1 1", "99999999999999999999", "٣",
    "1\r\nContent-Length: 1",
    "1\r\ncontent-length: 2",
  ])
  func `refuses a length that is not one number`(_ value: String) {
    #expect(status("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: \(value)\r\n\r\n") == 400)
  }

  @Test func `holds lengths beyond 4 GB`() {
    let outcome = read("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000000\r\n\r\n")
    guard case .request(let request, _) = outcome else {
      Issue.record("The request was not read.")
      return
    }
    #expect(request.contentLength == 5_000_000_000)
  }

  @Test func `bounds the first line, the head and the number of fields`() {
    #expect(status("GET /" + String(repeating: "a", count: 9000)) == 414)
    #expect(
      status("GET /" + String(repeating: "a", count: 9000) + " HTTP/1.1\r\nHost: x\r\n\r\n") == 414)
    #expect(status("GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 17000)) == 431)
    let many = (0..<101).map { "A\($0): b\r\n" }.joined()
    #expect(status("GET / HTTP/1.1\r\nHost: x\r\n\(many)\r\n") == 431)
  }
}
