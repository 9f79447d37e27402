/// A failure that ends the program or one look at the feed, as a sentence that names the remedy.
struct Failure: Error, CustomStringConvertible {
  let description: String
  /// The seconds after which a server wants to be asked again.
  var retryAfter: Double?

  init(_ description: String, retryAfter: Double? = nil) {
    self.description = description
    self.retryAfter = retryAfter
  }
}
