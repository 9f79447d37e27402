/// One thing that happens in a world.
///
/// A step names replicas and connections by their numbers. If it names something that is not there,
/// it does nothing, so that you can leave out any steps of a history.
public enum HistoryStep: Hashable, Sendable {
  /// A replica does one of the app's actions.
  case act(replica: Int, action: Int)
  /// Virtual time passes.
  case pass(milliseconds: Int)
  /// All processes stay closed for this many days, like phones in a drawer.
  case sleep(days: Int)

  // Connections.

  /// Somebody wants a connection.
  case connect(connection: Int)
  /// Nobody wants a connection any more.
  case disconnect(connection: Int)
  /// A link ends after this many more messages of one side.
  case cut(connection: Int, messages: Int, ofDialler: Bool)
  /// A connection's network is this good from now on.
  case network(connection: Int, Weather)
  /// One direction, or both, swallow everything.
  case partition(connection: Int, there: Bool, back: Bool)
  /// A phone notices that its network is back.
  case networkReturned(connection: Int)

  // Processes and machines.

  /// A process is killed after this many more calls that change its disk; 0 means at once.
  case kill(replica: Int, calls: Int)
  /// A machine loses power after this many more calls that change its disk; 0 means at once.
  case cutPower(replica: Int, calls: Int)
  /// Some calls to a disk fail.
  case failCalls(replica: Int, after: Int, count: Int)
  /// A disk has room for this many more bytes.
  case fillDisk(replica: Int, room: Int)
  /// A disk works again as it should.
  case mendDisk(replica: Int)
  /// A process ends as it should.
  case close(replica: Int)
  /// A process starts.
  case start(replica: Int)
  /// A process ends as it should, and the app's next version starts, if there is one.
  case upgrade(replica: Int)
  /// A replica's files are kept as they are.
  case snapshot(replica: Int)
  /// A replica's files go back to one of the moments at which they were kept.
  case restore(replica: Int, snapshot: Int)
  /// Somebody copies a replica's folder to a new machine, and both go on.
  case clone(replica: Int)
  /// A replica's clock is off by this much from now on.
  case setClock(replica: Int, errorMilliseconds: Int64)

  /// Somebody who may edit tells a replica that another's changes are held, brings none, and leaves; then
  /// virtual time passes.
  case claim(replica: Int, of: Int, milliseconds: Int)

  // Members.

  /// A member gets another role.
  case setRole(connection: Int, WorldRole)
  /// A member is removed.
  case revoke(connection: Int)
}

/// The same, by its name until version 0.3.
@available(*, deprecated, renamed: "HistoryStep")
public typealias Step = HistoryStep

/// How good a network is, by name.
public enum Weather: String, Hashable, Sendable, CaseIterable {
  /// Nothing is lost.
  case good
  /// Some is lost, and some comes late.
  case crowded
  /// Short packets, many lost or damaged.
  case radio

  var quality: NetworkQuality {
    switch self {
    case .good: .good
    case .crowded: .crowded
    case .radio: .radio
    }
  }
}
