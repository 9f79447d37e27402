public import ReunionFlow

/// A device that is kept connected: any peripheral, such as a heart-rate strap.
///
/// It comes back by itself after it was out of range, or the radio off; `close()` ends that. *Thread*: any.
public struct KeptLink: Sendable {
  /// The device.
  public let device: DeviceID
  let outside: Keeper.Outside
  let run: Later

  /// Where it stands.
  public var state: Signal<LinkMachine.State> { outside.machine.state }

  /// Its transitions, one by one.
  public var transitions: Occurrences<MachineTransition<LinkMachine>> {
    outside.machine.transitions
  }

  /// The new values of characteristics that the plan subscribes to.
  public var values: Occurrences<LinkValue> { outside.values.occurrences }

  /// Does not want it connected any more, nor at the next start.
  public func close() {
    outside.machine.offer(.leave)
    run { [device] board in board.note(device, for: nil) }
  }

  /// Wants it connected again.
  public func keep() {
    outside.machine.offer(.keep)
    run { [device] board in
      if let keeper = board.keepers[device] { board.note(device, for: keeper.plan) }
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
    run { board in
      guard let keeper = board.ready(device, answer) else { return }
      keeper.ask(characteristic, answer)
      board.radio.read(characteristic, of: device)
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
    run { board in
      guard let keeper = board.ready(device, answer) else { return }
      let write = Keeper.Write(rest: value[...], answer: answer)
      keeper.writes[characteristic, default: []].append(write)
      guard keeper.writes[characteristic]?.count == 1 else { return }
      board.writeNext(to: characteristic, of: keeper)
    } otherwise: {
      answer(.failure(.released))
    }
  }

  /// Writes a value of any length without answers, as fast as the radio takes it. What is not sent when
  /// the connection ends is lost.
  public func writeWithoutResponse(_ value: [UInt8], to characteristic: BluetoothID) {
    let device = device
    run { board in
      guard let keeper = board.ready(device, { _ in }) else { return }
      let partBytes = max(1, board.radio.valueBytesMax(of: device))
      for start in stride(from: 0, to: max(1, value.count), by: partBytes) {
        let part = value[start..<min(start + partBytes, value.count)]
        keeper.unsent.append((characteristic, Array(part)))
      }
      board.sendUnsent(keeper)
    }
  }
}

extension Switchboard {
  /// Writes the next part of the value that is first in line.
  fileprivate func writeNext(to id: BluetoothID, of keeper: Keeper) {
    guard let write = keeper.writes[id]?.first else { return }
    let part = write.rest.prefix(max(1, radio.valueBytesMax(of: keeper.device)))
    keeper.writes[id]?[0].rest = write.rest.dropFirst(part.count)
    radio.write(Array(part), to: id, of: keeper.device)
  }

  /// The device has answered for a part; false if none was written.
  func answerWrite(
    to id: BluetoothID, of keeper: Keeper, _ result: Result<[UInt8], BluetoothError>
  ) -> Bool {
    guard let write = keeper.writes[id]?.first else { return false }
    defer { writeNext(to: id, of: keeper) }
    if case .success = result, !write.rest.isEmpty { return true }
    keeper.writes[id]?.removeFirst()
    write.answer(result)
    return true
  }

  /// The keeper of a device that is ready; otherwise the error is told.
  fileprivate func ready(
    _ device: DeviceID, _ answer: (Result<[UInt8], BluetoothError>) -> Void
  ) -> Keeper? {
    if let keeper = keepers[device], case .ready = keeper.machine.state.value { return keeper }
    answer(
      .failure(BluetoothError(.notConnected, "The device is not connected. Wait until it is.")))
    return nil
  }
}
