public import ReunionFlow

/// A device that is kept connected: any peripheral, such as a heart-rate strap.
///
/// It comes back by itself after it was out of range, or the radio off; `close()` ends that, and to
/// release it does not.
///
/// ```swift
/// let bluetooth = try Bluetooth(radio: BlueZRadio(), folder: "app-data/bluetooth")
/// let battery = BluetoothID(assigned: 0x2A19)
/// guard let link = bluetooth.keptLinks.first else { return }
/// for await state in link.state.values() {
///   guard case .ready = state else { continue }
///   let charge = try await link.read(battery).first
///   print("\(link.device) has \(charge ?? 0) % left.")
/// }
/// ```
///
/// *Thread*: any.
public struct KeptLink: Sendable {
  /// The device.
  public let device: DeviceID
  let observables: DeviceLink.Observables
  let run: WeakQueue

  /// Where it stands. `ready` says that it can be read and written; a person wants to know of
  /// `barred` too.
  public var state: Signal<LinkMachine.State> { observables.machine.state }

  /// Its transitions, one by one, with the events that led to them: for a log, or a test.
  public var transitions: Occurrences<MachineTransition<LinkMachine>> {
    observables.machine.transitions
  }

  /// The new values of characteristics that the plan subscribes to. What the device tells while it
  /// is out of reach, or before anybody observes, is not kept.
  public var values: Occurrences<LinkValue> { observables.values.occurrences }

  /// Does not want it connected any more, nor at the next start. A peer that is known is connected
  /// at the next start all the same, until it is unpaired.
  public func close() {
    observables.machine.offer(.leave)
    run { [device] core in core.note(device, for: nil) }
  }

  /// Wants it connected again after `close()`, by the last plan. One that is not closed goes on as
  /// it is.
  public func keep() {
    observables.machine.offer(.keep)
    run { [device] core in
      if let link = core.links[device] { core.note(device, for: link.plan) }
    }
  }

  /// Reads a value. A cancelled task waits on; the limit is the radio's, such as BlueZ's of 40 s.
  ///
  /// Where the plan subscribes to the same characteristic, a new value may come meanwhile. It is
  /// then taken for the answer, and is not among `values`.
  ///
  /// - Throws: `BluetoothError`: `notConnected` unless the state is `ready`, and when the
  ///   connection ends before the answer. It is `refused` where the device does not let it be read,
  ///   or has no such characteristic. It is `closed` when the `Bluetooth` is released.
  public func read(_ characteristic: BluetoothID) async throws -> [UInt8] {
    try await withCheckedThrowingContinuation { resume in
      read(characteristic) { resume.resume(with: $0) }
    }
  }

  /// Writes a value of any length, in parts as long as the connection carries; returns when the
  /// device has answered for each. Values of one characteristic are written one after the other.
  ///
  /// The device sees as many writes as there are parts, each at most an MTU less 3 long; an empty
  /// value is one write. After an error it may have the first parts.
  ///
  /// - Throws: `BluetoothError`: `notConnected` unless the state is `ready`, and when the
  ///   connection ends before the last answer. It is `refused` where the device does not take a
  ///   part, and the rest is not sent then. It is `closed` when the `Bluetooth` is released.
  public func write(_ value: [UInt8], to characteristic: BluetoothID) async throws {
    _ = try await withCheckedThrowingContinuation { resume in
      write(value, to: characteristic) { resume.resume(with: $0) }
    }
  }

  /// The same as `read`, without waiting: the closure is called once.
  public func read(
    _ characteristic: BluetoothID,
    _ answer: @escaping @Sendable (Result<[UInt8], BluetoothError>) -> Void
  ) {
    let device = device
    run { core in
      guard let link = core.ready(device, answer) else { return }
      link.ask(characteristic, answer)
      core.radio.read(characteristic, of: device)
    } otherwise: {
      answer(.failure(.released))
    }
  }

  /// The same as the `write` that returns, without waiting: the closure is called once, with an
  /// empty value.
  public func write(
    _ value: [UInt8], to characteristic: BluetoothID,
    _ answer: @escaping @Sendable (Result<[UInt8], BluetoothError>) -> Void
  ) {
    let device = device
    run { core in
      guard let link = core.ready(device, answer) else { return }
      let write = DeviceLink.Write(rest: value[...], answer: answer)
      link.writes[characteristic, default: []].append(write)
      guard link.writes[characteristic]?.count == 1 else { return }
      core.writeNext(to: characteristic, of: link)
    } otherwise: {
      answer(.failure(.released))
    }
  }

  /// Writes a value of any length without answers, as fast as the radio takes it. What is not sent
  /// when the connection ends is lost, and so is a value for one that is not `ready`: nothing tells
  /// of it.
  ///
  /// What the radio has no room for waits in memory without a limit.
  public func writeWithoutResponse(_ value: [UInt8], to characteristic: BluetoothID) {
    let device = device
    run { core in
      guard let link = core.ready(device, { _ in }) else { return }
      let partBytes = max(1, core.radio.valueBytesMax(of: device))
      for start in stride(from: 0, to: max(1, value.count), by: partBytes) {
        let part = value[start..<min(start + partBytes, value.count)]
        link.unsent.append((characteristic, Array(part)))
      }
      core.sendUnsent(link)
    }
  }
}

extension BluetoothCore {
  /// Writes the next part of the value that is first in line.
  fileprivate func writeNext(to id: BluetoothID, of link: DeviceLink) {
    guard let write = link.writes[id]?.first else { return }
    let part = write.rest.prefix(max(1, radio.valueBytesMax(of: link.device)))
    link.writes[id]?[0].rest = write.rest.dropFirst(part.count)
    radio.write(Array(part), to: id, of: link.device)
  }

  /// The device has answered for a part; false if none was written.
  func answerWrite(
    to id: BluetoothID, of link: DeviceLink, _ result: Result<[UInt8], BluetoothError>
  ) -> Bool {
    guard let write = link.writes[id]?.first else { return false }
    defer { writeNext(to: id, of: link) }
    if case .success = result, !write.rest.isEmpty { return true }
    link.writes[id]?.removeFirst()
    write.answer(result)
    return true
  }

  /// The link of a device that is ready; otherwise the error is told.
  fileprivate func ready(
    _ device: DeviceID, _ answer: (Result<[UInt8], BluetoothError>) -> Void
  ) -> DeviceLink? {
    if let link = links[device], case .ready = link.machine.state.value { return link }
    answer(
      .failure(BluetoothError(.notConnected, "The device is not connected. Wait until it is.")))
    return nil
  }
}
