import ReunionFlow

/// All that concerns one verified peer: its messages, who waits for them, and its connections.
///
/// *Thread*: confined to the strand of its `Bluetooth`.
final class PeerDesk {
  let correspondence: Correspondence
  /// The conversation over which messages flow, and others that would do if it ends.
  var conversing: Conversing?
  var standby: [Conversing] = []
  /// Takes messages for the program; until it is set they wait.
  var handler: (@Sendable (Message) -> Void)?
  /// Those whom the passage tells.
  var listeners: [PassageListener] = []
  /// By lane, when to note again what was taken and could not be noted.
  var takingAgain: [Lane: Countdown] = [:]
  private var waiting: [Lane: [UInt64: @Sendable (Result<Void, BluetoothError>) -> Void]] = [:]
  let isConnected: Variable<Bool>

  init(_ correspondence: Correspondence, isConnected: Variable<Bool>) {
    self.correspondence = correspondence
    self.isConnected = isConnected
    correspondence.renumbered = { [weak self] in self?.renumber($0, by: $1) }
  }

  /// Those who wait go on with the numbers that their messages have now.
  private func renumber(_ lane: Lane, by distance: UInt64) {
    guard let old = waiting[lane] else { return }
    waiting[lane] = Dictionary(uniqueKeysWithValues: old.map { ($0.key - distance, $0.value) })
  }

  func tell(_ event: PassageEvent) {
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

/// What happens on the passage to a peer: messages that last no longer than the connection.
package enum PassageEvent: Sendable {
  /// Both sides may speak.
  case opened
  /// A message came.
  case passed([UInt8])
  /// All that waited, of what is urgent or of the rest, is on its way.
  case drained(isUrgent: Bool)
  /// The connection is over; what was said and not heard is gone.
  case closed
}

/// A message of a peer.
public struct Message: Sendable {
  /// The lane that it came on.
  public let lane: Lane
  /// Its place on its lane, from 1 on, without gaps. A program that must do nothing twice keeps the last
  /// number with what it does: after a kill in the wrong moment a message comes again.
  public let number: UInt64
  /// The bytes.
  public let bytes: [UInt8]
  let take: @Sendable () -> Void

  /// Says that the program has it: then its sender hears so, and the next one of the lane comes.
  public func taken() { take() }
}
