import ReunionCore
import ReunionFlow
import ReunionSync

/// Work of sessions that waits until the test runs it, in order.
final class WorkQueue: Sendable {
  private let waiting = Lock<[@Sendable () -> Void]>([])

  func add(_ work: @escaping @Sendable () -> Void) { waiting.withLock { $0.append(work) } }

  func run() {
    while let work = waiting.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { work() }
  }
}

/// One end of a link in memory whose messages arrive when the test says so: pieces of blobs in order,
/// and everything else in order.
final class HandLink: Link {
  private struct State {
    var deliver: (@Sendable (LinkEvent) -> Void)?
    var inbox: [LinkEvent] = []
    var pieces: [[UInt8]] = []
    var other: HandLink?
    var isClosed = false
    var sent: [Message] = []
  }

  private let state = Lock(State())

  static func pair() -> (HandLink, HandLink) {
    let (one, two) = (HandLink(), HandLink())
    one.state.withLock { $0.other = two }
    two.state.withLock { $0.other = one }
    return (one, two)
  }

  func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) {
    state.withLock { state in
      state.deliver = deliver
      state.inbox.append(.opened)
    }
  }

  func send(_ message: [UInt8]) {
    let decoded = try? Message(decoding: message)
    let other = state.withLock { state -> HandLink? in
      if let decoded { state.sent.append(decoded) }
      return state.isClosed ? nil : state.other
    }
    other?.state.withLock { state in
      if case .blob? = decoded {
        state.pieces.append(message)
      } else {
        state.inbox.append(.received(message))
      }
    }
  }

  var messageBytesMax: Int { Message.bytesMax }

  /// What is under way to the other end.
  var queuedBytes: Int { state.withLock { $0.other }?.waitingBytes ?? 0 }

  func pauseReceiving(_ isPaused: Bool) {}

  /// Closes both ends; what is under way is lost.
  func close() {
    let other = state.withLock { $0.other }
    for end in [self, other] {
      end?.state.withLock { state in
        guard !state.isClosed else { return }
        state.isClosed = true
        state.inbox = [.closed(nil)]
        state.pieces = []
      }
    }
  }

  // What the test does.

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// All that was sent from here.
  var sent: [Message] { state.withLock { $0.sent } }

  var hasPieces: Bool { state.withLock { !$0.pieces.isEmpty } }

  var hasOthers: Bool { state.withLock { !$0.inbox.isEmpty } }

  private var waitingBytes: Int { state.withLock { $0.pieces.reduce(0) { $0 + $1.count } } }

  /// Lets the next piece of a blob arrive here.
  func deliverPiece() {
    let (piece, body) = state.withLock { state in
      (state.pieces.isEmpty ? nil : state.pieces.removeFirst(), state.deliver)
    }
    guard let piece, let body else { return }
    body(.received(piece))
    if waitingBytes == 0 { state.withLock { $0.other }?.drain() }
  }

  /// Lets the next of everything else arrive here.
  func deliverOther() {
    let (event, body) = state.withLock { state in
      (state.inbox.isEmpty ? nil : state.inbox.removeFirst(), state.deliver)
    }
    if let event, let body { body(event) }
  }

  private func drain() {
    let deliver = state.withLock { $0.isClosed ? nil : $0.deliver }
    deliver?(.drained)
  }
}

/// Every way in which a test can choose, one after another: no seed, nothing left out.
struct Chooser {
  private var path: [(choice: Int, count: Int)] = []
  private var depth = 0
  private(set) var runCount = 0

  /// Chooses a number below `count`.
  mutating func choose(_ count: Int) -> Int {
    defer { depth += 1 }
    if depth == path.count { path.append((0, count)) }
    return path[depth].choice
  }

  /// The choices of this run, for a message.
  var choices: [Int] { path.map(\.choice) }

  /// Runs a body with every sequence of choices.
  static func all(_ body: (inout Chooser) throws -> Void) rethrows -> Int {
    var chooser = Chooser()
    while true {
      chooser.depth = 0
      try body(&chooser)
      chooser.runCount += 1
      while let last = chooser.path.last, last.choice + 1 == last.count {
        chooser.path.removeLast()
      }
      guard let last = chooser.path.popLast() else { return chooser.runCount }
      chooser.path.append((last.choice + 1, last.count))
    }
  }
}
