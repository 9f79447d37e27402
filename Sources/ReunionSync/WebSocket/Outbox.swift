/// The messages that wait to leave, and how many bytes they are.
package struct Outbox: Sendable {
  private var messages: [[UInt8]] = []
  private var head = 0
  /// The bytes of all waiting messages.
  package private(set) var bytes = 0
  /// After this nothing is taken in any more.
  package var isClosed = false
  /// True while a turn of the loop has been asked for.
  package var isScheduled = false

  package init() {}

  package var isEmpty: Bool { head == messages.count }

  /// The message that leaves next.
  package var first: [UInt8]? { isEmpty ? nil : messages[head] }

  /// Adds a message at the end; false where the box is closed.
  package mutating func append(_ message: [UInt8]) -> Bool {
    guard !isClosed else { return false }
    messages.append(message)
    bytes += message.count
    return true
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
