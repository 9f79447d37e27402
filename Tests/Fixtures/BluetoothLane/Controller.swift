import Glibc

/// One virtual Bluetooth controller: between the kernel (`/dev/vhci`) and the emulator (`btvirt`).
///
/// It carries HCI packets as they are, but for what the range, the loss and the pace of the air change.
final class Controller {
  let number: Int
  /// The kernel's side, and the emulator's.
  let kernel: Int32
  let emulator: Int32
  var isInRange = true
  /// How long a packet of data waits for its turn on the air; 0: it does not.
  var intervalMilliseconds = 0
  /// How many of 100 packets of data wait for another turn, and how many of 100 advertisements
  /// nobody hears.
  var lossPercent = 0
  private var isRegistered = false
  private var random: SeededNumbers
  private var received: [UInt8] = []
  private var handles: Set<UInt16> = []
  /// A wish to connect that waits until the other side is heard, and when to try it again: a real controller goes
  /// on listening, where the emulator gives up at once.
  private var held: (wish: [UInt8], turn: Int64)?
  /// The wish that the emulator has.
  private var wish: [UInt8] = []
  /// Statuses of commands that were ours, and not the kernel's.
  private var swallowed: [UInt16] = []
  /// Advertisements that are heard in their turn, and the answers to scans behind them. The emulator tells each
  /// once, at the very moment in which a scan begins; a kernel that is told then is not ready, and drops it.
  private var advertised: [(packet: [UInt8], turn: Int64)] = []
  /// How often a device advertises.
  private static let advertisingMilliseconds: Int64 = 150
  /// Packets of data that wait for their turn.
  private var waiting: [[UInt8]] = []
  private var nextTurn: Int64 = 0

  private let trace: Trace

  init(_ number: Int, server: String, seed: UInt64, trace: Trace) throws {
    self.number = number
    self.trace = trace
    trace.begin(number)
    random = SeededNumbers(state: seed &+ UInt64(number))
    emulator = try connectTo(server)
    kernel = open("/dev/vhci", O_RDWR | O_CLOEXEC)
    guard kernel >= 0 else { throw LaneError("There is no /dev/vhci.") }
    // A controller of any kind.
    try send([0xFF, 0x00], to: kernel)
    // The driver says so once the kernel has given it a number.
    while !isRegistered { try readKernel() }
  }

  /// The adapter is pulled.
  deinit {
    close(kernel)
    close(emulator)
  }

  /// Gives the kernel a packet. It takes none while the adapter is off, and neither would a real one give any.
  private func tellKernel(_ packet: [UInt8]) {
    trace.note(packet, isToKernel: true, number)
    _ = try? send(packet, to: kernel)
  }

  // MARK: From the kernel

  func readKernel() throws {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(kernel, &buffer, buffer.count)
    guard count > 0 else {
      guard isRegistered else { throw LaneError("The kernel takes no controller.") }
      return
    }
    let packet = Array(buffer.prefix(count))
    trace.note(packet, isToKernel: false, number)
    switch packet[0] {
    case 0x01 where packet.count >= 4: try take(command: packet)
    case 0x02 where !isInRange: break
    case 0x02 where intervalMilliseconds > 0: waiting.append(packet)
    // What the driver says of itself.
    case 0xFF: isRegistered = true
    default: try send(packet, to: emulator)
    }
  }

  private func take(command packet: [UInt8]) throws {
    let code = UInt16(packet[1]) | UInt16(packet[2]) << 8
    // LE (Extended) Create Connection: it begins when the other side is back.
    if [0x200D, 0x2043].contains(code) {
      wish = packet
      if !isInRange {
        held = (packet, 0)
        return event(0x0F, [0, 1, packet[1], packet[2]])
      }
    }
    // LE Create Connection Cancel.
    if code == 0x200E, let (wish, _) = held {
      held = nil
      event(0x0E, [1, packet[1], packet[2], 0])
      let subevent: UInt8 = wish[1] == 0x0D ? 0x01 : 0x0A
      return event(
        0x3E, [subevent, 0x02] + [UInt8](repeating: 0, count: subevent == 1 ? 17 : 29))
    }
    // LE Set (Extended) Scan Enable: what was heard before counts no more.
    if [0x200C, 0x2042].contains(code) { advertised = [] }
    try send(packet, to: emulator)
    // Disconnect, since the adapter is switched off: a real one then advertises no longer, but the emulator
    // would go on, and the other side connect to nobody.
    if code == 0x0406, packet.count >= 7, packet[6] == 0x15 {
      swallowed.append(0x200A)
      try send([0x01, 0x0A, 0x20, 1, 0], to: emulator)
    }
  }

  private func event(_ code: UInt8, _ content: [UInt8]) {
    tellKernel([0x04, code, UInt8(content.count)] + content)
  }

  // MARK: From the emulator

  func readEmulator() throws {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(emulator, &buffer, buffer.count)
    guard count > 0 else { throw LaneError("btvirt has ended.") }
    received += buffer.prefix(count)
    while let length = packetLength, received.count >= length {
      let packet = Array(received.prefix(length))
      received.removeFirst(length)
      try take(packet)
    }
  }

  private var packetLength: Int? {
    switch received.first {
    case 0x04: received.count >= 3 ? 3 + Int(received[2]) : nil
    case 0x02: received.count >= 5 ? 5 + (Int(received[3]) | Int(received[4]) << 8) : nil
    default: nil
    }
  }

  private func take(_ packet: [UInt8]) throws {
    guard packet[0] == 0x04 else {
      if isInRange { tellKernel(packet) }
      return
    }
    var packet = packet
    let subevent = packet[1] == 0x3E ? packet[3] : 0
    // Failed to be established: the other side did not advertise.
    if [0x01, 0x0A].contains(subevent), packet[4] == 0x3E {
      held = (wish, milliseconds() + Self.advertisingMilliseconds)
      return
    }
    if [0x01, 0x0A].contains(subevent), packet[4] == 0 {
      handles.insert(UInt16(packet[5]) | UInt16(packet[6]) << 8)
    }
    if [0x02, 0x0D].contains(subevent) {
      advertised.removeAll { $0.packet == packet }
      advertised.append((packet, milliseconds() + Self.advertisingMilliseconds))
      return
    }
    // The status of a command, or its end.
    if [0x0F, 0x0E].contains(packet[1]), packet.count >= 7 {
      let place = packet[1] == 0x0F ? 5 : 4
      let code = UInt16(packet[place]) | UInt16(packet[place + 1]) << 8
      if let place = swallowed.firstIndex(of: code) {
        swallowed.remove(at: place)
        return
      }
    }
    // A connection is over: out of range it has timed out, whatever the emulator says.
    if packet[1] == 0x05, packet.count >= 7 {
      handles.remove(UInt16(packet[4]) | UInt16(packet[5]) << 8)
      if !isInRange { packet[6] = 0x08 }
    }
    tellKernel(packet)
  }

  // MARK: The air

  func leave() throws {
    isInRange = false
    waiting = []
    for handle in handles.sorted() {
      swallowed.append(0x0406)
      try send(
        [0x01, 0x06, 0x04, 3, UInt8(handle & 0xFF), UInt8(handle >> 8), 0x13], to: emulator)
    }
  }

  func comeBack() throws { isInRange = true }

  private func connectAgain(_ now: Int64) throws {
    guard let (wish, turn) = held, turn <= now else { return }
    held = nil
    swallowed.append(UInt16(wish[1]) | UInt16(wish[2]) << 8)
    try send(wish, to: emulator)
  }

  /// Sends what may be sent at this moment; the result is when to call again.
  func turn(_ now: Int64) throws -> Int64? {
    if isInRange {
      hearAdvertisements(now)
      try connectAgain(now)
    }
    let turns = advertised.map(\.turn) + (held.map { [$0.turn] } ?? [])
    let next = isInRange ? turns.min() : nil
    guard !waiting.isEmpty else { return next }
    guard now >= nextTurn else { return min(nextTurn, next ?? nextTurn) }
    nextTurn = now + Int64(intervalMilliseconds)
    // What is lost on the air, the link layer sends again.
    if random.next(below: 100) >= lossPercent { try send(waiting.removeFirst(), to: emulator) }
    return min(nextTurn, next ?? nextTurn)
  }

  /// Tells the kernel of those whose turn it is; what is lost is heard the next time.
  private func hearAdvertisements(_ now: Int64) {
    let due = advertised.filter { $0.turn <= now }
    advertised.removeAll { $0.turn <= now }
    guard !due.isEmpty else { return }
    if random.next(below: 100) < lossPercent {
      advertised += due.map { ($0.packet, now + Self.advertisingMilliseconds) }
    } else {
      for (packet, _) in due { tellKernel(packet) }
    }
  }
}
