import ReunionCore

/// The messages that wait to leave, and how many bytes they are: pieces of blobs behind all others.
package struct Outbox: Sendable {
  /// Messages in the order in which they came.
  private struct Lane {
    private var messages: [[UInt8]] = []
    private var head = 0
    var bytes = 0

    mutating func append(_ message: [UInt8]) {
      messages.append(message)
      bytes += message.count
    }

    var isEmpty: Bool { head == messages.count }

    mutating func popFirst() -> [UInt8]? {
      guard !isEmpty else { return nil }
      let message = messages[head]
      messages[head] = []
      head += 1
      bytes -= message.count
      if isEmpty {
        messages.removeAll(keepingCapacity: head <= 64)
        head = 0
      } else if head >= 64, head * 2 >= messages.count {
        messages.removeFirst(head)
        head = 0
      }
      return message
    }
  }

  private var urgent = Lane()
  private var blobs = Lane()
  /// What has begun to leave, which nothing overtakes any more.
  private var leaving: (message: [UInt8], isPiece: Bool)?
  /// After this nothing is taken in any more.
  package var isClosed = false
  /// True from the message that asks for a turn of the loop to the turn that leaves nothing behind.
  private var isScheduled = false

  package init() {}

  package var isEmpty: Bool { leaving == nil && urgent.isEmpty && blobs.isEmpty }

  /// The bytes of all waiting messages, with the one that is leaving.
  package var bytes: Int { urgentBytes + blobBytes }

  /// Those of them that are not of blobs.
  package var urgentBytes: Int { urgent.bytes + bytesLeaving(isPiece: false) }

  /// Those of them that are of blobs.
  package var blobBytes: Int { blobs.bytes + bytesLeaving(isPiece: true) }

  private func bytesLeaving(isPiece: Bool) -> Int {
    leaving.map { $0.isPiece == isPiece ? $0.message.count : 0 } ?? 0
  }

  /// Whether a piece of a blob is what leaves next.
  package var isPieceNext: Bool { leaving?.isPiece ?? (urgent.isEmpty && !blobs.isEmpty) }

  /// Adds a message at the end of its lane, unless the box is closed. True where a turn must be asked for, which
  /// `endTurn` ends; false where one is coming already.
  package mutating func append(_ message: [UInt8]) -> Bool {
    guard !isClosed else { return false }
    if Message.isBlobPiece(message) { blobs.append(message) } else { urgent.append(message) }
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

  /// The message that leaves now: the same until `popFirst`.
  package mutating func begin() -> [UInt8]? {
    if leaving == nil {
      leaving =
        urgent.popFirst().map { ($0, false) } ?? blobs.popFirst().map { ($0, true) }
    }
    return leaving?.message
  }

  /// Takes out the message that leaves now.
  @discardableResult
  package mutating func popFirst() -> [UInt8]? {
    defer { leaving = nil }
    return begin()
  }

  /// Drops all that waits.
  package mutating func removeAll() { (urgent, blobs, leaving) = (Lane(), Lane(), nil) }
}
