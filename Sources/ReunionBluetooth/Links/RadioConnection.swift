import ReunionFlow

/// One connection of the radio with a device: hands values to its channel, sends what that has, and
/// wakes it in time.
///
/// *Thread*: confined to the serial queue of its `Bluetooth`.
final class RadioConnection {
  /// Which of the core's connections it is.
  let number: Int
  let device: DeviceID
  /// Whether this side connected.
  let isCentral: Bool
  let channel: Channel
  /// The peer it is with, once that is verified.
  var peer: PeerID?
  /// The invitation by which the two have met, if by one.
  var invitation: Invitation?
  /// Until when the other side must have said who it is, or people have compared its code.
  var greetingEnd: Moment?
  /// Whether its code is being compared.
  var isAtCode = false
  private let clock: any FlowClock
  private let transmit: ([UInt8]) -> Bool
  private let wake: @Sendable () -> Void
  /// What the radio had no room for.
  private var backlog: [[UInt8]] = []
  private var countdown: Countdown?
  private var wakesAt: Moment?

  init(
    _ number: Int, with device: DeviceID, isCentral: Bool, channel: Channel, clock: any FlowClock,
    transmit: @escaping ([UInt8]) -> Bool, wake: @escaping @Sendable () -> Void
  ) {
    self.number = number
    self.device = device
    self.isCentral = isCentral
    self.channel = channel
    self.clock = clock
    self.transmit = transmit
    self.wake = wake
  }

  /// Sends what may be sent, and says what was found meanwhile.
  func pump() -> [Channel.Event] {
    let now = clock.timeNow
    if let end = greetingEnd, end <= now, peer == nil { channel.close(.busy) }
    for frame in channel.due(at: now) { backlog.append(frame) }
    sendBacklog()
    while backlog.isEmpty, let frame = channel.nextFrame(at: now) {
      if !transmit(frame) { backlog.append(frame) }
    }
    arm(now)
    return channel.takeEvents()
  }

  private func sendBacklog() {
    var count = 0
    while count < backlog.count, transmit(backlog[count]) { count += 1 }
    backlog.removeFirst(count)
  }

  private func arm(_ now: Moment) {
    guard let deadline = [channel.deadline, greetingEnd].compactMap({ $0 }).min() else { return }
    if let wakesAt, wakesAt <= deadline, wakesAt > now { return }
    wakesAt = deadline
    let delay = max(now.duration(to: deadline), .milliseconds(1))
    countdown = Countdown(after: delay, clock: clock, wake)
  }

  func stop() { countdown?.cancel() }
}

extension FlowClock {
  /// The present moment, of a clock of any type.
  var timeNow: Moment { now }
}
