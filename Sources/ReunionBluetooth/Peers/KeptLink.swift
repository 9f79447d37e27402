public import ReunionFlow

/// A device that is kept connected: any peripheral, such as a heart-rate strap.
///
/// It comes back by itself after it was out of range, or the radio off; `close()` ends that. *Thread*: any.
public struct KeptLink: Sendable {
  /// The device.
  public let device: DeviceID
  let observables: DeviceLink.Observables
  let run: WeakQueue

  /// Where it stands.
  public var state: Signal<LinkMachine.State> { observables.machine.state }

  /// Its transitions, one by one.
  public var transitions: Occurrences<MachineTransition<LinkMachine>> {
    observables.machine.transitions
  }

  /// The new values of characteristics that the plan subscribes to.
  public var values: Occurrences<LinkValue> { observables.values.occurrences }

  /// Does not want it connected any more, nor at the next start.
  public func close() {
    observables.machine.offer(.leave)
    run { [device] core in core.note(device, for: nil) }
  }

  /// Wants it connected again.
  public func keep() {
    observables.machine.offer(.keep)
    run { [device] core in
      if let link = core.links[device] { core.note(device, for: link.plan) }
    }
  }

  /// Reads a value.
  ///
  /// - Throws: `BluetoothError` when it is not connected, or the device refuses.
  public func read(_ characteristic: BluetoothID) async throws -> [UInt8] {
    try await withCheckedThrowingContinuation { resume in
      read(characteristic) { resume.resume(with: $0) }
    }
  }

  /// Writes a value of any length, in parts as long as the connection carries; returns when the device
  /// has answered for each. Values of one characteristic are written one after the other.
  ///
  /// - Throws: `BluetoothError` when it is not connected, or the device refuses.
  public func write(_ value: [UInt8], to characteristic: BluetoothID) async throws {
    _ = try await withCheckedThrowingContinuation { resume in
      write(value, to: characteristic) { resume.resume(with: $0) }
    }
  }

  /// The same as `read`, without waiting.
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

  /// The same as the `write` that returns, without waiting.
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

  /// Writes a value of any length without answers, as fast as the radio takes it. What is not sent when
  /// the connection ends is lost.
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
