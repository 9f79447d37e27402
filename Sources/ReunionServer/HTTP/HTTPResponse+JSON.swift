extension HTTPResponse {
  /// An answer in JSON. If the value cannot be written, it is a 500. Nobody keeps it:
  /// `Cache-Control` is `no-store`.
  public static func json(_ status: Int, _ value: some Encodable) -> HTTPResponse {
    guard let bytes = try? JSONWriter.bytes(value) else {
      return .error(500, "The server could not write its answer. Tell the host.")
    }
    return HTTPResponse(
      status, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
      body: Array(bytes))
  }

  /// An answer of JSON that is put together here.
  static func json(_ status: Int, _ fields: [String: JSONValue]) -> HTTPResponse {
    .json(status, JSONValue.object(fields))
  }

  /// An error: `{"error": SENTENCE}`, which tells a person what is wrong and what to do about it.
  /// Errors look like this on every route.
  public static func error(_ status: Int, _ sentence: String) -> HTTPResponse {
    .json(status, ["error": .text(sentence)])
  }

  /// The same answer with one more header field.
  func with(_ name: String, _ value: String) -> HTTPResponse {
    var copy = self
    copy.headers.set(name, value)
    return copy
  }
}
