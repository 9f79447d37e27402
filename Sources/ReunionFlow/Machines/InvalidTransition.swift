/// An event that is not valid in a machine's state; the state does not change.
///
/// ```swift
/// func press<M: Machine>(_ machine: StateMachine<M>, _ event: M.Event) -> String? {
///   do throws(InvalidTransition) {
///     try machine.send(event)
///     return nil
///   } catch {
///     return error.description    // The event push is not valid in the state open.
///   }
/// }
/// ```
///
/// `StateMachine.send` throws it to whoever sent the event: a mistake of that program. `offer` and
/// deadlines tell it by `StateMachine.rejected`, since there it may happen to a program without
/// fault.
public struct InvalidTransition: Error, Sendable, CustomStringConvertible {
  /// The state that the machine was in, with its values: what they hold lives as long as this
  /// error.
  public let from: any Sendable
  /// The event that it refused, with its values.
  public let event: any Sendable

  /// Makes the error from the two arguments of the selector.
  @inlinable
  public init(from: any Sendable, event: any Sendable) {
    self.from = from
    self.event = event
  }

  /// A sentence that names both, with their values: what is private in them is in it.
  public var description: String { "The event \(event) is not valid in the state \(from)." }
}
