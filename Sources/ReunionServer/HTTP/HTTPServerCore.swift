import Glibc
import ReunionSockets

/// The side of a server that lives on its loop: the listener and the connections.
///
/// *Thread*: the loop's.
final class HTTPServerCore {
  let loop: EventLoop
  let limits: HTTPLimits
  private let connectionsMax: Int
  /// How many may have no connection yet; others wait in the system's queue.
  private let unopenedMax = max(16, min(1024, descriptorsMost / 16))
  let always: @Sendable (HTTPRequest) -> HTTPHeaders
  let handler: @Sendable (HTTPRequest) -> HTTPAnswer
  private(set) var isStopping = false
  private var listener: ListeningSocket?
  private var listening: (any LoopHandle)?
  private var sweeping: (any LoopHandle)?
  private var connections: [UInt64: HTTPConnection] = [:]
  /// The connections that have not sent one whole request.
  private var halfOpen: [UInt64: HTTPConnection] = [:]
  /// What is to be done for clients, where it is more than one turn of the loop does.
  private var waiting = FairQueue<Errand>()
  /// How many clients were accepted and have no connection yet.
  private var unopenedCount = 0
  /// How much may be done at once, before this turn of the loop ends.
  private var places: Int
  /// How many clients are taken off the system's queue in a turn: that costs little.
  private static let acceptedMax = 64
  private var nextNumber: UInt64 = 0
  private var whenEmpty: (() -> Void)?

  init(
    _ listener: ListeningSocket, on loop: EventLoop, limits: HTTPLimits,
    always: @escaping @Sendable (HTTPRequest) -> HTTPHeaders,
    handler: @escaping @Sendable (HTTPRequest) -> HTTPAnswer
  ) {
    self.listener = listener
    self.loop = loop
    self.limits = limits
    places = limits.errandsAtOnce
    let reserved = limits.reservedDescriptors + unopenedMax
    connectionsMax = min(limits.connectionsMax, max(16, Self.descriptorsMost - reserved))
    self.always = always
    self.handler = handler
  }

  func start() {
    guard let listener else { return }
    listening = loop.watch(listener.descriptor) { [unowned self] in acceptSome() }
    sweeping = loop.schedule(after: .milliseconds(500), every: .milliseconds(500)) {
      [unowned self] in sweep()
    }
  }

  /// Stops listening, lets what is under way finish until the time is over, then calls `done`.
  func stop(_ done: @escaping () -> Void) {
    isStopping = true
    listening?.cancel()
    listener = nil
    whenEmpty = done
    while let errand = waiting.next() {
      if case .open(let descriptor, _) = errand { close(descriptor) }
    }
    for connection in connections.values { connection.stop() }
    loop.schedule(after: limits.stopTimeout) { [weak self] in
      guard let self else { return }
      for connection in connections.values { connection.abort() }
    }
    finishIfEmpty()
  }

  func didComplete(_ connection: HTTPConnection) { halfOpen[connection.number] = nil }

  func didClose(_ connection: HTTPConnection) {
    halfOpen[connection.number] = nil
    connections[connection.number] = nil
    finishIfEmpty()
  }

  // MARK: Turns

  /// What waits for its turn.
  private enum Errand {
    /// A connection that was accepted.
    case open(descriptor: Int32, address: String)
    /// A connection has a request.
    case read(HTTPConnection)
    /// A connection rests, and its network has too many that do.
    case end(HTTPConnection)
  }

  /// Has a connection read its next request: now, or when those of other networks have had their turns.
  func begin(_ connection: HTTPConnection) { begin(.read(connection), of: connection.network) }

  private func begin(_ errand: Errand, of network: String) {
    if case .open = errand { unopenedCount += 1 }
    guard waiting.isEmpty, takePlace() else { return waiting.append(errand, of: network) }
    perform(errand)
  }

  private func takePlace() -> Bool {
    guard places > 0 else { return false }
    if places == limits.errandsAtOnce {
      // What the loop has found by now goes first.
      loop.beginNextTurn { [self] in beginSome() }
    }
    places -= 1
    return true
  }

  private func beginSome() {
    places = limits.errandsAtOnce
    while !waiting.isEmpty, takePlace() {
      if let next = waiting.next() { perform(next) }
    }
  }

  private func perform(_ errand: Errand) {
    switch errand {
    case .read(let connection): connection.begin()
    case .end(let connection): if connection.restsSince.map(isLong) ?? false { connection.abort() }
    case .open(let descriptor, let address):
      unopenedCount -= 1
      open(descriptor, from: address)
    }
  }

  private func finishIfEmpty() {
    guard isStopping, connections.isEmpty, let done = whenEmpty else { return }
    whenEmpty = nil
    sweeping?.cancel()
    done()
  }

  private func acceptSome() {
    // A bounded number, so that a flood of clients leaves turns for the ones that are here.
    for _ in 0..<Self.acceptedMax {
      guard unopenedCount < unopenedMax, let client = listener?.accept() else { return }
      let network = RateLimit.network(of: client.remoteAddress)
      let isFull = waiting.count(of: network) >= max(128, unopenedMax / 2)
      guard !isFull || limits.isProxy(client.remoteAddress) else {
        close(client.descriptor)
        continue
      }
      begin(.open(descriptor: client.descriptor, address: client.remoteAddress), of: network)
    }
  }

  private func open(_ descriptor: Int32, from address: String) {
    guard !isStopping, connections.count < connectionsMax || makeRoom(for: address) else {
      close(descriptor)
      return
    }
    nextNumber += 1
    let connection = HTTPConnection(number: nextNumber, remoteAddress: address, core: self)
    connections[nextNumber] = connection
    halfOpen[nextNumber] = connection
    Socket.adopt(descriptor, on: loop) { connection.handle($0, $1) }
    if halfOpen.count > limits.halfOpenMax, let oldest = oldestHalfOpen {
      halfOpen.removeValue(forKey: oldest)?.abort()
    }
  }

  /// How many descriptors the process may have open.
  private static var descriptorsMost: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    return Int(clamping: limit.rlim_cur)
  }

  /// The oldest connection without a whole request; one whose request waits for its turn does not count.
  private var oldestHalfOpen: UInt64? {
    halfOpen.lazy.filter { !$0.value.waitsForTurn }.map(\.key).min()
  }

  /// Whether a connection has rested for so long that its network may have too many that do.
  private func isLong(_ since: ContinuousClock.Instant) -> Bool { since + .seconds(1) <= .now }

  /// Closes the oldest connection without a whole request, or else the oldest idle one, or else the one
  /// whose answer has stood still the longest; false where all are at work.
  private func makeRoom(for newcomer: String) -> Bool {
    let idle = connections.lazy.filter { $0.value.isIdle }.map(\.key)
    guard let oldest = oldestHalfOpen ?? idle.min() ?? stalled(for: newcomer) else {
      return false
    }
    let connection = connections.removeValue(forKey: oldest)
    halfOpen[oldest] = nil
    // Its socket closes at the end of this turn.
    connection?.abort()
    return true
  }

  /// The connection whose client has taken nothing of its answer for the longest, if that is long. Where one
  /// network holds more than half of all places, one of its connections makes room for others at once.
  private func stalled(for newcomer: String) -> UInt64? {
    let stalled = connections.values.compactMap { connection in
      connection.standsStillSince.map { (connection, since: $0) }
    }.sorted { $0.since < $1.since }
    guard let longest = stalled.first else { return nil }
    if longest.since + limits.stallTimeout <= .now { return longest.0.number }
    let crowd = Dictionary(grouping: connections.values, by: \.network)
      .first { $0.value.count > connectionsMax / 2 }?.key
    guard let crowd, crowd != RateLimit.network(of: newcomer) else { return nil }
    return stalled.first { $0.0.network == crowd }?.0.number
  }

  private func sweep() {
    let now = ContinuousClock.now
    var resting: [String: [(connection: HTTPConnection, since: ContinuousClock.Instant)]] = [:]
    for connection in connections.values {
      if connection.waitsForTurn { continue }
      if let deadline = connection.deadline, deadline <= now {
        connection.expire()
      } else if let since = connection.restsSince, isLong(since),
        !limits.isProxy(connection.remoteAddress)
      {
        resting[connection.network, default: []].append((connection, since))
      }
    }
    for (network, all) in resting where all.count > limits.restingMax {
      for each in all.sorted(by: { $0.since < $1.since }).dropLast(limits.restingMax) {
        begin(.end(each.connection), of: network)
      }
    }
  }
}
