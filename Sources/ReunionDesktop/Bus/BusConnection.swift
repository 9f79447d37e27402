import CSystemBus
import Dispatch
import Glibc
import ReunionFlow

/// An `sd_bus`, and what waits on it.
///
/// Unchecked: after its start it is confined to its serial queue.
final class BusConnection: @unchecked Sendable {
  let queue: DispatchQueue
  private var bus: OpaquePointer?
  private var whenLost: (@Sendable () -> Void)?
  private var pump: Pump?
  private var pending: [Int: Answer] = [:]
  private var registrations: [Int: Registration] = [:]
  private var answered: Set<UInt> = []
  private let numbers = Lock(0)

  init(
    _ place: Bus.Place, queue: DispatchQueue, whenLost: @escaping @Sendable () -> Void
  ) throws(BusError) {
    self.queue = queue
    self.whenLost = whenLost
    var bus: OpaquePointer?
    let result =
      switch place {
      case .system: sd_bus_open_system(&bus)
      case .session: sd_bus_open_user(&bus)
      case .at(let address): Self.open(address, &bus)
      }
    guard result >= 0 else { throw BusError(code: result) }
    self.bus = bus
  }

  private static func open(_ address: String, _ bus: inout OpaquePointer?) -> Int32 {
    var result = sd_bus_new(&bus)
    if result >= 0 { result = sd_bus_set_address(bus, address) }
    if result >= 0 { result = sd_bus_set_bus_client(bus, 1) }
    if result >= 0 { result = sd_bus_start(bus) }
    if result < 0 { bus = sd_bus_close_unref(bus) }
    return result
  }

  static func text(_ start: UnsafePointer<CChar>?) -> String {
    start.map { String(cString: $0) } ?? ""
  }

  func nextNumber() -> Int {
    numbers.withLock { number in
      number += 1
      return number
    }
  }

  /// Begins to process what comes.
  func begin() {
    guard let bus else { return }
    pump = Pump(sd_bus_get_fd(bus), on: queue) { [weak self] in self?.process() }
    process()
  }

  /// Ends it: whoever waits for an answer hears so, and nobody else anything.
  func end() {
    whenLost = nil
    close()
  }

  private func close() {
    guard let bus else { return }
    self.bus = nil
    for registration in registrations.values { sd_bus_slot_unref(registration.slot) }
    registrations = [:]
    let pending = pending.values
    self.pending = [:]
    for answer in pending {
      answer.take(.failure(BusError(BusError.disconnected, "The bus is gone.")))
    }
    let bits = UInt(bitPattern: bus)
    // Nothing may watch the descriptor when it is closed.
    let end = { @Sendable () -> Void in
      _ = sd_bus_flush_close_unref(OpaquePointer(bitPattern: bits))
    }
    if let pump { pump.stop(end) } else { end() }
    pump = nil
  }

  private func process() {
    guard let bus else { return }
    var result = sd_bus_process(bus, nil)
    while result > 0, self.bus != nil { result = sd_bus_process(bus, nil) }
    guard self.bus != nil else { return }
    guard result >= 0 else {
      let whenLost = whenLost
      self.whenLost = nil
      close()
      whenLost?()
      return
    }
    let events = sd_bus_get_events(bus)
    var microseconds: UInt64 = 0
    let hasTimeout = sd_bus_get_timeout(bus, &microseconds) > 0 && microseconds != .max
    pump?.wait(
      toWrite: events > 0 && events & Int32(POLLOUT) != 0,
      until: hasTimeout ? microseconds : nil)
  }

  // MARK: Calls

  /// One that waits for an answer.
  private final class Answer {
    let number: Int
    weak var connection: BusConnection?
    let take: @Sendable (Result<[BusValue], BusError>) -> Void

    init(
      _ number: Int, of connection: BusConnection,
      _ take: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
    ) {
      self.number = number
      self.connection = connection
      self.take = take
    }
  }

  func send(
    _ call: BusCall, _ take: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
  ) {
    guard let bus else {
      return take(.failure(BusError(BusError.disconnected, "The bus is gone.")))
    }
    var message: OpaquePointer?
    defer { sd_bus_message_unref(message) }
    do throws(BusError) {
      let made = sd_bus_message_new_method_call(
        bus, &message, call.destination, call.path, call.interface, call.method)
      guard made >= 0 else { throw BusError(code: made) }
      try MessageCoding.append(call.arguments, to: message)
    } catch {
      return take(.failure(error))
    }
    let answer = Answer(nextNumber(), of: self, take)
    pending[answer.number] = answer
    let limit = call.limit.map { UInt64(max(1, $0 / .microseconds(1))) } ?? .max
    let sent = sd_bus_call_async(
      bus, nil, message,
      { message, user, _ in
        guard let user else { return 0 }
        let answer = Unmanaged<Answer>.fromOpaque(user).takeUnretainedValue()
        answer.connection?.pending[answer.number] = nil
        answer.take(BusConnection.result(of: message))
        return 0
      }, Unmanaged.passUnretained(answer).toOpaque(), limit)
    if sent < 0 {
      pending[answer.number] = nil
      take(.failure(BusError(code: sent)))
    }
    process()
  }

  private static func result(of message: OpaquePointer?) -> Result<[BusValue], BusError> {
    if let error = sd_bus_message_get_error(message) {
      return .failure(BusError(text(error.pointee.name), text(error.pointee.message)))
    }
    return Result { () throws(BusError) in try MessageCoding.read(message) }
  }

  // MARK: Signals and objects

  private enum Registration {
    case signals(OpaquePointer?, Listener)
    case object(OpaquePointer?, Exported)

    var slot: OpaquePointer? {
      switch self {
      case .signals(let slot, _), .object(let slot, _): slot
      }
    }
  }

  private final class Listener {
    let isHeld: Lock<Bool>
    let take: @Sendable (BusSignal) -> Void

    init(_ isHeld: Lock<Bool>, _ take: @escaping @Sendable (BusSignal) -> Void) {
      self.isHeld = isHeld
      self.take = take
    }
  }

  private final class Exported {
    weak var connection: BusConnection?
    let isHeld: Lock<Bool>
    let take: @Sendable (BusRequest) -> Void

    init(
      _ connection: BusConnection, _ isHeld: Lock<Bool>,
      _ take: @escaping @Sendable (BusRequest) -> Void
    ) {
      self.connection = connection
      self.isHeld = isHeld
      self.take = take
    }
  }

  func listen(
    _ match: BusMatch, _ take: @escaping @Sendable (BusSignal) -> Void, number: Int,
    isHeld: Lock<Bool>
  ) {
    guard let bus else { return }
    let listener = Listener(isHeld, take)
    var slot: OpaquePointer?
    let added = sd_bus_add_match_async(
      bus, &slot, match.rule,
      { message, user, _ in
        guard let user else { return 0 }
        let listener = Unmanaged<Listener>.fromOpaque(user).takeUnretainedValue()
        guard listener.isHeld.withLock({ $0 }),
          let arguments = try? MessageCoding.read(message)
        else { return 0 }
        listener.take(
          BusSignal(
            sender: BusConnection.text(sd_bus_message_get_sender(message)),
            path: BusConnection.text(sd_bus_message_get_path(message)),
            interface: BusConnection.text(sd_bus_message_get_interface(message)),
            member: BusConnection.text(sd_bus_message_get_member(message)), arguments: arguments))
        // Several may match one signal, and each reads it from its beginning.
        sd_bus_message_rewind(message, 1)
        return 0
      }, nil, Unmanaged.passUnretained(listener).toOpaque())
    if added >= 0 { registrations[number] = .signals(slot, listener) }
    process()
  }

  func export(
    _ path: String, _ take: @escaping @Sendable (BusRequest) -> Void, number: Int,
    isHeld: Lock<Bool>
  ) {
    guard let bus else { return }
    let exported = Exported(self, isHeld, take)
    var slot: OpaquePointer?
    let added = sd_bus_add_fallback(
      bus, &slot, path,
      { message, user, _ in
        guard let user else { return 0 }
        let exported = Unmanaged<Exported>.fromOpaque(user).takeUnretainedValue()
        guard exported.isHeld.withLock({ $0 }), let connection = exported.connection,
          let request = try? BusRequest(message, of: connection)
        else { return 0 }
        exported.take(request)
        return 1
      }, Unmanaged.passUnretained(exported).toOpaque())
    if added >= 0 { registrations[number] = .object(slot, exported) }
    process()
  }

  func remove(_ number: Int) {
    guard let registration = registrations.removeValue(forKey: number) else { return }
    sd_bus_slot_unref(registration.slot)
    process()
  }

  func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]) {
    guard let bus else { return }
    var message: OpaquePointer?
    defer { sd_bus_message_unref(message) }
    guard sd_bus_message_new_signal(bus, &message, path, interface, member) >= 0,
      (try? MessageCoding.append(arguments, to: message)) != nil
    else { return }
    _ = sd_bus_send(bus, message, nil)
    process()
  }

  func reply(to request: OpaquePointer?, _ result: Result<[BusValue], BusError>) {
    guard let bus, let request, answered.insert(UInt(bitPattern: request)).inserted else { return }
    var message: OpaquePointer?
    defer { sd_bus_message_unref(message) }
    do throws(BusError) {
      let values = try result.get()
      let made = sd_bus_message_new_method_return(request, &message)
      guard made >= 0 else { throw BusError(code: made) }
      try MessageCoding.append(values, to: message)
      _ = sd_bus_send(bus, message, nil)
    } catch {
      error.name.withCString { name in
        error.message.withCString { text in
          var plain = sd_bus_error(name: name, message: text, _need_free: 0)
          _ = sd_bus_reply_method_error(request, &plain)
        }
      }
    }
    process()
  }

  /// A request is gone, whose place in memory another may take.
  func forget(_ request: OpaquePointer?) { answered.remove(UInt(bitPattern: request)) }
}
