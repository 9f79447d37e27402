import ReunionFlow

/// All that concerns one verified peer: its messages, who waits for them, and its connections.
///
/// *Thread*: confined to the serial queue of its `Bluetooth`.
final class PeerState {
  let mailbox: PeerMailbox
  /// The connection over which messages flow, and others that would do if it ends.
  var connection: RadioConnection?
  var standby: [RadioConnection] = []
  /// Takes messages for the program; until it is set they wait.
  var handler: (@Sendable (PeerMessage) -> Void)?
  /// Those whom the session stream tells.
  var listeners: [StreamListener] = []
  /// By lane, when to note again what was taken and could not be noted.
  var takingAgain: [Lane: Countdown] = [:]
  private var waiting: [Lane: [UInt64: @Sendable (Result<Void, BluetoothError>) -> Void]] = [:]
  let isConnected: Variable<Bool>

  init(_ mailbox: PeerMailbox, isConnected: Variable<Bool>) {
    self.mailbox = mailbox
    self.isConnected = isConnected
    mailbox.renumbered = { [weak self] in self?.renumber($0, by: $1) }
  }

  /// Those who wait go on with the numbers that their messages have now.
  private func renumber(_ lane: Lane, by distance: UInt64) {
    guard let old = waiting[lane] else { return }
    waiting[lane] = Dictionary(uniqueKeysWithValues: old.map { ($0.key - distance, $0.value) })
  }

  func tell(_ event: StreamEvent) {
    for listener in listeners { listener.tell(event) }
  }

  /// Notes who waits until the peer has a message.
  func wait(
    for number: UInt64, on lane: Lane,
    _ resume: @escaping @Sendable (Result<Void, BluetoothError>) -> Void
  ) {
    waiting[lane, default: [:]][number] = resume
  }

  /// The peer has these messages.
  func settle(_ numbers: [UInt64], on lane: Lane) {
    for number in numbers { waiting[lane]?.removeValue(forKey: number)?(.success(())) }
  }

  /// Nobody will ever have what waits.
  func fail(_ error: BluetoothError) {
    let all = waiting.values.flatMap(\.values)
    waiting = [:]
    for resume in all { resume(.failure(error)) }
  }
}
