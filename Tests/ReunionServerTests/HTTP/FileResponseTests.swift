import Foundation
import Testing

@testable import ReunionServer

@Suite final class FileResponseTests {
  private let path = FileManager.default.temporaryDirectory.path + "/reunion-\(UUID()).bin"
  private let content = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 9) }
  private let server: HTTPServer

  init() throws {
    try Data(content).write(to: URL(fileURLWithPath: path))
    let path = path
    server = try HTTPServer(port: 0) { request in
      switch request.path.components.first {
      case "file":
        .file(
          FileResponse(
            path: path, contentType: "image/jpeg", entityTag: EntityTag("abc"),
            cacheControl: "immutable", attachmentName: request.path.query("name")))
      case "folder": .file(FileResponse(path: "/tmp", contentType: "text/plain"))
      default: .file(FileResponse(path: path + ".none", contentType: "text/plain"))
      }
    }
  }

  deinit {
    server.stop()
    unlink(path)
  }

  @Test func `sends a whole file with its fields`() throws {
    let answer = try ask(server.port, get("/file?name=%C3%9C.jpg"))
    #expect(answer.status == 200)
    #expect(answer.body == content)
    #expect(answer["ETag"] == "\"abc\"")
    #expect(answer["Accept-Ranges"] == "bytes")
    #expect(answer["Content-Type"] == "image/jpeg")
    #expect(answer["Cache-Control"] == "immutable")
    #expect(
      answer["Content-Disposition"] == "attachment; filename=\"_.jpg\"; filename*=UTF-8''%C3%9C.jpg"
    )
  }

  @Test(arguments: [
    ("bytes=0-99", 0..<100), ("bytes=0-", 0..<700_000), ("bytes=-100", 699_900..<700_000),
    ("bytes=65536-131072", 65536..<131_073), ("bytes=699999-800000", 699_999..<700_000),
  ])
  func `sends the range that was asked for`(_ field: String, _ range: Range<Int>) throws {
    let answer = try ask(server.port, get("/file", "Range: \(field)"))
    #expect(answer.status == 206)
    #expect(answer.body == Array(content[range]))
    #expect(
      answer["Content-Range"] == "bytes \(range.lowerBound)-\(range.upperBound - 1)/700000")
  }

  @Test func `answers 416 with the size for a range that is not there`() throws {
    let client = try RawClient(port: server.port)
    let answer = client.ask(get("/file", "Range: bytes=700000-"))
    #expect(answer.status == 416)
    #expect(answer["Content-Range"] == "bytes */700000")
    #expect(answer.text == "{\"error\":\"The file has 700000 bytes. Ask for a range of them.\"}")
    #expect(answer["Content-Type"] == "application/json" && answer["ETag"] == nil)
    #expect(client.ask(get("/file", "Range: bytes=0-0")).body == [content[0]])
  }

  @Test func `sends the whole where If-Range names another content`() throws {
    let client = try RawClient(port: server.port)
    let range = "Range: bytes=0-9"
    #expect(client.ask(get("/file", range, "If-Range: \"abc\"")).status == 206)
    #expect(client.ask(get("/file", range, "If-Range: \"old\"")).body.count == 700_000)
  }

  @Test func `answers 304 for the tag that the client has`() throws {
    let client = try RawClient(port: server.port)
    let answer = client.ask(get("/file", "If-None-Match: \"x\", W/\"abc\""))
    #expect(answer.status == 304)
    #expect(answer["Content-Length"] == nil)
    #expect(answer["ETag"] == "\"abc\"")
    #expect(client.ask(get("/file", "If-None-Match: \"x\"")).status == 200)
  }

  @Test func `answers HEAD with the length alone`() throws {
    let client = try RawClient(port: server.port)
    let answer = client.ask(request("HEAD", "/file"), hasBody: false)
    #expect(answer.status == 200)
    #expect(answer["Content-Length"] == "700000")
    #expect(client.ask(get("/file", "Range: bytes=0-0")).status == 206)
  }

  @Test func `answers 404 for what is no file`() throws {
    #expect(try ask(server.port, get("/folder")).status == 404)
    #expect(try ask(server.port, get("/none")).status == 404)
  }
}
