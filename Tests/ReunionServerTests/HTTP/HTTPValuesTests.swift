import Testing

@testable import ReunionServer

@Suite struct HTTPValuesTests {
  @Test(
    arguments: [
      (nil, .whole), ("bytes=0-99", .part(0..<100)), ("bytes=0-0", .part(0..<1)),
      ("bytes=999-", .part(999..<1000)), ("bytes=500-", .part(500..<1000)),
      ("bytes=-1", .part(999..<1000)), ("bytes=-5000", .part(0..<1000)),
      ("bytes=-0", .unsatisfiable),
      ("bytes=0-5000", .part(0..<1000)), ("bytes=1000-", .unsatisfiable),
      ("bytes=1000-1001", .unsatisfiable), ("bytes=5-4", .whole), ("bytes=a-b", .whole),
      ("bytes=", .whole), ("bytes=-", .whole), ("bytes", .whole), ("items=0-1", .whole),
      ("bytes=0-1,5-6", .whole), ("bytes=+1-2", .whole), ("BYTES = 1-2 ", .part(1..<3)),
      ("bytes=0-99999999999999999999999", .part(0..<1000)),
      ("bytes=99999999999999999999999-", .unsatisfiable), ("", .whole),
    ] as [(String?, ByteRange)])
  func `reads a range as RFC 9110 says`(_ field: String?, _ expected: ByteRange) {
    #expect(ByteRange(field, of: 1000) == expected)
  }

  @Test func `finds no range in an empty file`() {
    #expect(ByteRange("bytes=0-", of: 0) == .unsatisfiable)
    #expect(ByteRange("bytes=-5", of: 0) == .unsatisfiable)
    #expect(ByteRange(nil, of: 0) == .whole)
  }

  @Test func `ranges of a file equal slices of it, at every small size and end`() {
    for size in 0..<UInt64(8) {
      for first in 0..<UInt64(9) {
        for last in first..<UInt64(9) {
          let expected: ByteRange =
            first < size ? .part(first..<min(last + 1, size)) : .unsatisfiable
          #expect(ByteRange("bytes=\(first)-\(last)", of: size) == expected)
        }
      }
    }
  }

  @Test(arguments: [
    (nil, false), ("\"a\"", true), ("W/\"a\"", true), ("\"b\"", false), ("\"b\", \"a\"", true),
    ("*", true), ("a", false), ("", false),
  ])
  func `compares entity tags weakly for If-None-Match`(_ field: String?, _ isNamed: Bool) {
    #expect(EntityTag("a").isNamed(inIfNoneMatch: field) == isNamed)
  }

  @Test func `compares entity tags strongly for If-Range`() {
    #expect(EntityTag("a").allowsRange(ifRange: nil))
    #expect(EntityTag("a").allowsRange(ifRange: "\"a\""))
    #expect(!EntityTag("a").allowsRange(ifRange: "W/\"a\""))
    #expect(!EntityTag("a").allowsRange(ifRange: "Wed, 21 Oct 2015 07:28:00 GMT"))
  }

  @Test(arguments: [
    ("a.jpg", "a.jpg", "a.jpg"), ("Übung 1.jpg", "_bung 1.jpg", "%C3%9Cbung%201.jpg"),
    ("🎉.png", "_.png", "%F0%9F%8E%89.png"), ("../../etc/passwd", "passwd", "passwd"),
    ("a\\b.txt", "b.txt", "b.txt"), ("", "file", "file"), ("..", "file", "file"),
    ("a\"b\r\nSet-Cookie: x", "a_b__Set-Cookie_ x", "a%22b__Set-Cookie_%20x"),
    ("100%.txt", "100_.txt", "100%25.txt"), ("x\u{202e}gpj.exe", "x_gpj.exe", "x_gpj.exe"),
  ])
  func `names an attachment in any script`(_ name: String, _ ascii: String, _ encoded: String) {
    let expected = "attachment; filename=\"\(ascii)\"; filename*=UTF-8''\(encoded)"
    #expect(ContentDisposition.attachment(name) == expected)
  }

  @Test func `a header value cannot begin another field`() {
    let headers: HTTPHeaders = ["X": "a\r\nSet-Cookie: b"]
    #expect(headers["x"] == "a  Set-Cookie: b")
  }

  @Test func `computes the accept value of RFC 6455`() {
    #expect(
      WebSocketHandshake.accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  @Test func `writes dates as HTTP does`() {
    #expect(HTTPResponseHead.date(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
  }
}
