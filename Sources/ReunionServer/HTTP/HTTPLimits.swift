/// How long a server waits and how much it holds for clients that do not finish.
public struct HTTPLimits: Sendable {
  /// A client must have sent the whole head of its first request by then, however it drips.
  public var headTimeout: Duration = .seconds(10)
  /// How long a connection may idle between requests.
  package var idleTimeout: Duration = .seconds(75)
  /// How long a body that comes in, or an answer that goes out, may make no progress.
  public var progressTimeout: Duration = .seconds(30)
  /// How long the client of an answer may take nothing of it where all places are taken, before its
  /// connection makes room for another.
  package var stallTimeout: Duration = .seconds(5)
  /// How many connections without one whole request the server holds. Beyond that it closes the
  /// oldest, so that half-open connections never keep others waiting.
  public var halfOpenMax = 1024
  /// How many connections the server holds in all. Beyond that it closes the oldest idle one, or one whose
  /// answer nobody takes, or else the new one. Never more than the process may have open, less
  /// `reservedDescriptors`.
  public var connectionsMax = 8192
  /// Descriptors that connections may not use, because the store and its files need them.
  package var reservedDescriptors = 256
  /// How much is begun for clients, a connection or a request, before the loop looks for who else is there.
  package var errandsAtOnce = 4
  /// How many connections of one network may rest: wait for a request, or for their client to take an answer.
  /// Beyond that those that rest for a second or longer are closed, the longest first: they cost nobody
  /// else anything now, and much when all of them end at once.
  package var restingMax = 64
  /// Whether an address is a proxy's. Its connections are many clients', so that no limit is set to them.
  package var isProxy: @Sendable (String) -> Bool = { _ in false }
  /// How long `stop` waits for answers that are under way.
  public var stopTimeout: Duration = .seconds(2)

  /// The limits that suit a server for a few thousand clients.
  public init() {}
}
