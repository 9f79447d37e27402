import Testing

@testable import ReunionServer

@Suite struct RequestPathTests {
  @Test(arguments: [
    ("/", []), ("/a", ["a"]), ("/a/b/", ["a", "b"]), ("/caf%C3%A9", ["café"]), ("/a%20b", ["a b"]),
    ("/a+b", ["a+b"]), ("/...", ["..."]), ("/.well-known", [".well-known"]),
    ("/%252e%252e", ["%2e%2e"]), ("/a?x=/../", ["a"]), ("/a%3Fb", ["a?b"]),
  ])
  func `takes a path apart into decoded components`(_ target: String, _ components: [String]) {
    #expect(RequestPath(target)?.components == components)
  }

  @Test(arguments: [
    "", "a", "*", "http://a/b", "//", "//a", "/a//b", "/a//", "/..", "/../", "/a/../b", "/a/..",
    "/.",
    "/a/./b", "/%2e%2e", "/%2E./a", "/%2e", "/a%00b", "/%00", "/a%2fb", "/a%2Fb", "/a%5cb", "/a\\b",
    "/a%", "/a%2", "/a%zz", "/a%0a", "/a%7f", "/a b", "/a#b", "/%ff", "/%c0%af", "/é", "/a\u{0}",
  ])
  func `refuses a path that could mean something else`(_ target: String) {
    // Only a raw backslash stands for itself and is refused after decoding, like its encoding.
    #expect(RequestPath(target) == nil)
  }

  @Test func `finds query items decoded, the first of a name`() {
    let path = RequestPath("/a?x=1&y=a%26b+c&x=2&empty=&flag&bad=%zz&%7A=z")
    #expect(path?.raw == "/a")
    #expect(path?.query("x") == "1")
    #expect(path?.query("y") == "a&b c")
    #expect(path?.query("empty") == "")
    #expect(path?.query("flag") == "")
    #expect(path?.query("bad") == nil)
    #expect(path?.query("z") == "z")
    #expect(path?.query("none") == nil)
    #expect(RequestPath("/a")?.rawQuery == nil)
    #expect(RequestPath("/a?")?.rawQuery == "")
  }
}
