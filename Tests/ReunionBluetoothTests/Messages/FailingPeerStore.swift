import ReunionFlow

@testable import ReunionBluetooth

/// A store whose disk fails now and then: before anything was changed, or after.
final class FailingPeerStore: PeerStore {
  /// What may fail: all that happens without an app that waits for it.
  enum Step: Hashable, CaseIterable {
    case settle, begin, append, drop, take, beginInbox, renumber, keepDevice, messages
  }

  private struct Plan {
    var failures: [Step: Int] = [:]
    var chance = 0.0
    var random: MediumRandom
    var count = 0
  }

  let store: any PeerStore
  private let plan: Lock<Plan>
  /// Is called before it is given up.
  let whenClosed = Lock<(@Sendable () -> Void)?>(nil)

  init(_ store: any PeerStore, seed: UInt64 = 1, chance: Double = 0) {
    self.store = store
    plan = Lock(Plan(chance: chance, random: MediumRandom(seed: seed ^ 0xD15C)))
  }

  /// Lets a step fail, the next `times` times that it is taken.
  func fail(_ step: Step, times: Int = 1) { plan.withLock { $0.failures[step] = times } }

  /// Has nothing fail any more.
  func heal() {
    plan.withLock { plan in
      plan.failures = [:]
      plan.chance = 0
    }
  }

  /// How often something has failed.
  var failureCount: Int { plan.withLock { $0.count } }

  private func attempt(_ step: Step, _ body: () throws -> Void) throws {
    let (isFailing, isLate) = plan.withLock { plan in
      let isPlanned = plan.failures[step, default: 0] > 0
      if isPlanned { plan.failures[step, default: 0] -= 1 }
      let isFailing = isPlanned || plan.chance > 0 && plan.random.happens(plan.chance)
      if isFailing { plan.count += 1 }
      // It may be done by then. What was appended in part is taken back.
      return (isFailing, isFailing && step != .append && plan.random.happens(0.3))
    }
    if !isFailing || isLate { try body() }
    if isFailing { throw BluetoothError(.disk, "The disk is full. Free some space.") }
  }

  func secretKey(orKeep fresh: [UInt8]) throws -> [UInt8] { try store.secretKey(orKeep: fresh) }
  func peers() throws -> [KnownPeer] { try store.peers() }
  func keep(_ peer: KnownPeer) throws { try store.keep(peer) }
  func devices() throws -> [DeviceID: LinkPlan] { try store.devices() }
  func keep(_ device: DeviceID, for plan: LinkPlan?) throws {
    try attempt(.keepDevice) { try store.keep(device, for: plan) }
  }
  func forget(_ peer: PeerID) throws { try store.forget(peer) }
  func close() {
    whenClosed.withLock { $0.take() }?()
    store.close()
  }
  func messages(of peer: PeerID) throws -> StoredMessages {
    var stored = StoredMessages()
    try attempt(.messages) { stored = try store.messages(of: peer) }
    return stored
  }

  func queue(_ message: SealedMessage, on lane: Lane, for peer: PeerID) throws {
    try store.queue(message, on: lane, for: peer)
  }

  func settle(_ lane: Lane, through number: UInt64, for peer: PeerID) throws {
    try attempt(.settle) { try store.settle(lane, through: number, for: peer) }
  }

  func begin(_ head: MessageHead, on lane: Lane, from peer: PeerID) throws {
    try attempt(.begin) { try store.begin(head, on: lane, from: peer) }
  }

  func append(
    _ bytes: ArraySlice<UInt8>, to number: UInt64, on lane: Lane, from peer: PeerID
  ) throws {
    try attempt(.append) { try store.append(bytes, to: number, on: lane, from: peer) }
  }

  func drop(_ number: UInt64, on lane: Lane, from peer: PeerID) throws {
    try attempt(.drop) { try store.drop(number, on: lane, from: peer) }
  }

  func take(_ lane: Lane, through number: UInt64, mark: [UInt8], from peer: PeerID) throws {
    try attempt(.take) { try store.take(lane, through: number, mark: mark, from: peer) }
  }

  func begin(inbox: UInt64, taken: [Lane: UInt64], from peer: PeerID) throws {
    try attempt(.beginInbox) { try store.begin(inbox: inbox, taken: taken, from: peer) }
  }

  func renumber(outbox: UInt64, for peer: PeerID) throws {
    try attempt(.renumber) { try store.renumber(outbox: outbox, for: peer) }
  }
}
