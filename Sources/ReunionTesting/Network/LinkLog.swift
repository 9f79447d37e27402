import ReunionCore
import ReunionFlow

/// What the links of a world carried: how much, what was too large for its link, and a hash of all of it.
final class LinkLog: Sendable {
  private struct State {
    var messageCount = 0
    var oversize: Oversize?
  }

  /// A message that is larger than its link carries.
  struct Oversize {
    let byteCount: Int
    let bytesMax: Int
  }

  let trace = Trace()
  private let state = Lock(State())

  /// Notes a message over a link that carries at most `bytesMax` bytes at once.
  func sent(_ message: [UInt8], bytesMax: Int) {
    state.withLock { state in
      state.messageCount += 1
      guard message.count > bytesMax else { return }
      state.oversize = state.oversize ?? Oversize(byteCount: message.count, bytesMax: bytesMax)
    }
  }

  var messageCount: Int { state.withLock { $0.messageCount } }
  /// The first message that was larger than its link carries.
  var oversize: Oversize? { state.withLock { $0.oversize } }
}
