/// Something that is under way and can be called off.
package protocol Cancellable: AnyObject, Sendable {
  /// Calls it off; again, or after it is over, it does nothing.
  ///
  /// *Thread*: any.
  func cancel()
}
