import Reunion
import ReunionBluetooth
import ReunionCommandLine
import ReunionCore
import ReunionFlow

/// The options of a call, and the radio that it uses.
struct Invocation: Sendable {
  let output: Output
  let radio: BlueZRadio
  /// The folder that was named.
  let folder: String?
  /// How long to listen or to stay; nil where nothing was said.
  let time: Duration?
  let services: [BluetoothID]
  let values: [BluetoothID]
  /// The space that was named.
  let space: SpaceID?
  let messages: Int
  let bytes: Int
  /// Tells when somebody stops a verb that ends in good order.
  let stop: StopSignals?

  init(
    _ arguments: inout Arguments, _ output: Output, _ stop: StopSignals?
  ) throws(Misunderstood) {
    self.output = output
    self.stop = stop
    let adapter = try arguments.value(of: "--adapter")
    if let adapter, !adapter.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) {
      throw Misunderstood("--adapter is a name like hci0, and not \(adapter.onOneLine).")
    }
    radio = BlueZRadio(adapter: adapter)
    folder = try arguments.value(of: "--folder")
    space = try arguments.value(of: "--space").map { text throws(Misunderstood) in
      guard let space = SpaceID(text) else {
        throw Misunderstood("--space is 32 hexadecimal digits, and not \(text.onOneLine).")
      }
      return space
    }
    time = try arguments.value(of: "--for").map { text throws(Misunderstood) in
      try Self.duration(text)
    }
    services = try Self.names("--service", &arguments)
    values = try Self.names("--value", &arguments)
    messages = try Self.number("--messages", 1...100_000, 20, &arguments)
    bytes = try Self.number("--bytes", 1...65_536, 4096, &arguments)
  }

  private static func names(
    _ option: String, _ arguments: inout Arguments
  ) throws(Misunderstood) -> [BluetoothID] {
    var names: [BluetoothID] = []
    for text in try arguments.values(of: option) {
      guard let name = BluetoothID(text) else {
        throw Misunderstood(
          "\(option) is a name like 180d, or one of 128 bits, and not \(text.onOneLine).")
      }
      names.append(name)
    }
    return names
  }

  private static func number(
    _ option: String, _ range: ClosedRange<Int>, _ usual: Int, _ arguments: inout Arguments
  ) throws(Misunderstood) -> Int {
    guard let text = try arguments.value(of: option) else { return usual }
    guard let number = Int(text), range.contains(number) else {
      throw Misunderstood(
        "\(option) is a number from \(range.lowerBound) to \(range.upperBound), and not "
          + "\(text.onOneLine).")
    }
    return number
  }

  /// A time like 30s, 5m or 1h; a bare number is seconds.
  private static func duration(_ text: String) throws(Misunderstood) -> Duration {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600]
    let unit = text.last.flatMap { units[$0] }
    guard let number = Int64(unit == nil ? text[...] : text.dropLast()),
      (1...1_000_000).contains(number)
    else { throw Misunderstood("--for is a time like 30s, 5m or 1h, and not \(text.onOneLine).") }
    return .seconds(number * (unit ?? 1))
  }

  // MARK: The radio

  func open() throws -> Bluetooth {
    try Bluetooth(radio: radio, folder: folder ?? "reunion-bluetooth")
  }

  /// Waits until the radio can be used.
  ///
  /// - Throws: `CommandFailure` with the remedy where it cannot.
  func needRadio(_ bluetooth: Bluetooth) async throws {
    let state = await first(of: bluetooth.state, within: .seconds(10)) { $0 != .unknown }
    guard state != .on else { return }
    throw CommandFailure(
      3, (state ?? .serviceLost).remedy ?? "Bluetooth cannot be used. Look at its settings.")
  }

  /// Tells the known faults of the system's Bluetooth.
  func tellFaults() async {
    guard let version = await radio.version else { return }
    for fault in version.knownFaults {
      output.remark(
        ["bluez": version.description, "fault": fault], "BlueZ \(version): \(fault)")
    }
  }

  /// The first value that fits; nil if none comes in time.
  func first<Value: Sendable>(
    of signal: Signal<Value>, within limit: Duration, _ fits: @escaping @Sendable (Value) -> Bool
  ) async -> Value? {
    await first(within: limit) { found in
      signal.observe { if fits($0) { found($0) } }
    }
  }

  /// What a source gives first; nil if nothing comes in time.
  func first<Value: Sendable>(
    within limit: Duration, _ source: (@escaping @Sendable (Value) -> Void) -> SignalSubscription
  ) async -> Value? {
    let (stream, yield) = AsyncStream.makeStream(of: Value?.self)
    let countdown = Countdown(after: limit, clock: SystemClock.shared) { yield.yield(nil) }
    let subscription = source { yield.yield($0) }
    var iterator = stream.makeAsyncIterator()
    let value = await iterator.next() ?? nil
    subscription.cancel()
    countdown.cancel()
    return value
  }

  /// Waits so long, or for ever; a verb that can be stopped waits until it is.
  func stay(_ usual: Duration?) async {
    let end = (time ?? usual).map { ContinuousClock.now + $0 }
    while end.map({ ContinuousClock.now < $0 }) ?? true, stop?.wait(milliseconds: 0) != true {
      try? await Task.sleep(for: .milliseconds(100))
    }
  }
}
