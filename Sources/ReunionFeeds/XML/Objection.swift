/// What a handler of ours finds wrong; the parser adds the place.
struct Objection: Error {
  let code: FeedError.Code
  let message: String

  init(_ code: FeedError.Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
