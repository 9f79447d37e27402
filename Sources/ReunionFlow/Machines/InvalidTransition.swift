/// An event that is not valid in a machine's state; the state does not change.
public struct InvalidTransition: Error, Sendable, CustomStringConvertible {
  /// The state that the machine was in.
  public let from: any Sendable
  /// The event that it refused.
  public let event: any Sendable

  /// Makes the error from the two arguments of the selector.
  @inlinable
  public init(from: any Sendable, event: any Sendable) {
    self.from = from
    self.event = event
  }

  /// A sentence that names both.
  public var description: String { "The event \(event) is not valid in the state \(from)." }
}
