/// The messages that wait to leave, and how many bytes they are.
package struct Outbox: Sendable {
  private var messages: [[UInt8]] = []
  private var head = 0
  /// The bytes of all waiting messages.
  package private(set) var bytes = 0
  /// After this nothing is taken in any more.
  package var isClosed = false
  /// True from the message that asks for a turn of the loop to the turn that leaves nothing behind.
  private var isScheduled = false

  package init() {}

  package var isEmpty: Bool { head == messages.count }

  /// The message that leaves next.
  package var first: [UInt8]? { isEmpty ? nil : messages[head] }

  /// Adds a message at the end, unless the box is closed. True where a turn must be asked for, which `endTurn`
  /// ends; false where one is coming already.
  package mutating func append(_ message: [UInt8]) -> Bool {
    guard !isClosed else { return false }
    messages.append(message)
    bytes += message.count
    defer { isScheduled = true }
    return !isScheduled
  }

  /// What a turn of writing leaves behind.
  package enum Rest {
    /// Messages, perhaps of somebody who came during the turn and asked for no other: take another one.
    case messages
    /// Nothing, and something had been sent.
    case drained
    /// Nothing, as before.
    case nothing
  }

  /// Ends a turn of writing.
  package mutating func endTurn() -> Rest {
    guard isEmpty else { return .messages }
    defer { isScheduled = false }
    return isScheduled ? .drained : .nothing
  }

  /// Takes the next message out.
  package mutating func popFirst() -> [UInt8]? {
    guard let message = first else { return nil }
    messages[head] = []
    head += 1
    bytes -= message.count
    if head == messages.count {
      messages.removeAll(keepingCapacity: head <= 64)
      head = 0
    } else if head >= 64, head * 2 >= messages.count {
      messages.removeFirst(head)
      head = 0
    }
    return message
  }

  /// Drops all that waits.
  package mutating func removeAll() {
    messages = []
    head = 0
    bytes = 0
  }
}
