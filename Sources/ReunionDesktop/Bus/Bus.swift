package import Dispatch
import ReunionFlow

/// A connection to a D-Bus daemon.
///
/// *Thread*: any may call; answers, signals and requests come one at a time, in their order on the bus, on
/// the queue. *Lifetime*: it ends when nobody holds it; who waits for an answer then gets `disconnected`.
package final class Bus: Sendable {
  /// Which daemon.
  package enum Place: Sendable {
    /// That of the machine.
    case system
    /// That of the person who is logged in.
    case session
    /// One at an address, such as `unix:path=/tmp/bus`.
    case at(String)
  }

  private let connection: BusConnection
  private let queue: DispatchQueue

  /// Connects; everything happens on this serial queue. If the daemon ends the connection, the closure is
  /// called on it, once.
  ///
  /// - Throws: `BusError` if there is no daemon.
  package init(
    _ place: Place, queue: DispatchQueue = DispatchQueue(label: "reunion.bus"),
    whenLost: @escaping @Sendable () -> Void = {}
  ) throws(BusError) {
    self.queue = queue
    let connection = try BusConnection(place, queue: queue, whenLost: whenLost)
    self.connection = connection
    queue.async { connection.begin() }
  }

  deinit {
    let connection = connection
    queue.async { connection.end() }
  }

  /// Calls a method; the closure gets the answer on the queue.
  package func call(
    _ call: BusCall, _ answer: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
  ) {
    queue.async { [connection] in connection.send(call, answer) }
  }

  /// Calls a method, and waits for the answer, though the task be cancelled.
  package func call(_ call: BusCall) async throws(BusError) -> [BusValue] {
    let result = await withCheckedContinuation { resume in
      self.call(call) { resume.resume(returning: $0) }
    }
    return try result.get()
  }

  /// Hands on the signals that match, until the result is released.
  package func signals(
    _ match: BusMatch, _ take: @escaping @Sendable (BusSignal) -> Void
  ) -> BusRegistration {
    register { $0.listen(match, take, number: $1, isHeld: $2) }
  }

  /// Answers the calls of an object and all below it, until the result is released. A request that is
  /// not answered fails.
  package func export(
    _ path: String, _ take: @escaping @Sendable (BusRequest) -> Void
  ) -> BusRegistration {
    register { $0.export(path, take, number: $1, isHeld: $2) }
  }

  private func register(
    _ body: @escaping @Sendable (BusConnection, Int, Lock<Bool>) -> Void
  ) -> BusRegistration {
    let number = connection.nextNumber()
    let isHeld = Lock(true)
    queue.async { [connection] in body(connection, number, isHeld) }
    return BusRegistration { [connection, queue] in
      // At once, for what has come already and waits for its turn on the queue.
      isHeld.withLock { $0 = false }
      queue.async { connection.remove(number) }
    }
  }

  /// Sends a signal of an object.
  package func emit(
    _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]
  ) {
    queue.async { [connection] in connection.emit(path, interface, member, arguments) }
  }
}

/// Something that a bus was asked to do until this is released.
package final class BusRegistration: Sendable {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}
