import Reunion
package import ReunionCore
package import ReunionFlow
import ReunionSync

/// Which transitions the machines of a world have gone through, of all that their models have.
///
/// *Thread*: any.
package final class WorldCoverage: Sendable {
  private let conversation = Coverage(of: Conversation.model)
  private let reconnection = Coverage(of: Reconnection.model)

  /// Makes an empty record.
  package init() {}

  /// What a session tells.
  package func record(_ transition: MachineTransition<Conversation>) {
    conversation.record(transition)
  }

  func watch(_ connection: Connection) -> SignalSubscription {
    connection.transitions.observe { [reconnection] in reconnection.record($0) }
  }

  /// A line for each machine.
  package var lines: [String] {
    [
      Self.line("Conversation", Conversation.model.edges.count, conversation.missing.count),
      Self.line("Reconnection", Reconnection.model.edges.count, reconnection.missing.count),
    ]
  }

  private static func line(_ name: String, _ count: Int, _ missingCount: Int) -> String {
    "transitions of \(name) taken in the world: \(count - missingCount) / \(count)"
  }

  /// The transitions that nothing has gone through.
  package var missing: [String] {
    conversation.missing.map { "Conversation: \($0)" }
      + reconnection.missing.map { "Reconnection: \($0)" }
  }

  /// The transitions that the models do not know of.
  package var unexpected: [String] {
    conversation.unexpected.map { "Conversation: \($0)" }
      + reconnection.unexpected.map { "Reconnection: \($0)" }
  }
}
