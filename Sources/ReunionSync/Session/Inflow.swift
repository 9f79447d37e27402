import ReunionCore
import ReunionFlow

/// How much of what a link delivered still waits to be handled, and whether it should read on.
struct Inflow {
  /// Above this many waiting bytes the link pauses; below half of them it reads again.
  static let bytesMax = 1 << 20
  /// What a message costs beside its bytes.
  private static let messageOverhead = 256

  private var waitingBytes = 0
  private var isPaused = false
  /// Whether something came that is not handled: the other side is not silent, and hears nothing itself.
  var isBehind: Bool { waitingBytes > 0 }

  /// Counts a message that came; true where the link must pause.
  mutating func came(byteCount: Int) -> Bool {
    waitingBytes += byteCount + Self.messageOverhead
    guard !isPaused, waitingBytes > Self.bytesMax else { return false }
    isPaused = true
    return true
  }

  /// Counts a message that was handled; true where the link may read again.
  mutating func handled(byteCount: Int) -> Bool {
    waitingBytes -= byteCount + Self.messageOverhead
    guard isPaused, waitingBytes < Self.bytesMax / 2 else { return false }
    isPaused = false
    return true
  }
}

extension Session {
  /// Does something once what has come so far was heard: at once where nothing waits. *Thread*: any.
  package func afterHearing(_ work: @escaping @Sendable () -> Void) {
    inflow.withLock { $0.isBehind } ? execute(work) : work()
  }

  /// The message that ends with a fragment; nil where more of it is to come.
  func assemble(_ part: [UInt8], isLast: Bool) throws(WireError) -> Message? {
    let whole: [UInt8]? = work.withLock { work in
      work.fragments += part
      guard isLast || work.fragments.count > Message.bytesMax else { return nil }
      defer { work.fragments = [] }
      return work.fragments
    }
    guard let whole else { return nil }
    let message = try Message(decoding: whole)
    if case .fragment = message { throw WireError(.malformed, "A fragment holds a fragment.") }
    return message
  }
}
