import ReunionFlow

/// A store of messages in memory, for tests: it outlives the simulated kill of what uses it.
final class MemoryPeerStore: PeerStore {
  private let messages = Lock<[PeerID: StoredMessages]>([:])
  private let known = Lock<[PeerID: KnownPeer]>([:])
  private let kept = Lock<[DeviceID: LinkPlan]>([:])
  private let key = Lock<[UInt8]?>(nil)
  private let mintCount = Lock<UInt64>(0)

  func messages(of peer: PeerID) -> StoredMessages {
    if let stored = messages.withLock({ $0[peer] }) { return stored }
    let number = mintCount.withLock { count -> UInt64 in
      count += 1
      return count
    }
    let fresh = StoredMessages(outbox: number << 32 | peer.fingerprint)
    messages.withLock { $0[peer] = fresh }
    return fresh
  }

  func queue(_ message: SealedMessage, on lane: Lane, for peer: PeerID) {
    change(peer) {
      $0.queued[lane, default: []].append(message)
      $0.next[lane] = message.number + 1
    }
  }

  func settle(_ lane: Lane, through number: UInt64, for peer: PeerID) {
    change(peer) { $0.queued[lane]?.removeAll { $0.number <= number } }
  }

  func begin(_ head: MessageHead, on lane: Lane, from peer: PeerID) {
    change(peer) {
      $0.arriving[lane, default: []].removeAll { $0.head.number == head.number }
      $0.arriving[lane, default: []].append(ArrivingMessage(head: head))
    }
  }

  func append(_ bytes: ArraySlice<UInt8>, to number: UInt64, on lane: Lane, from peer: PeerID) {
    change(peer) { stored in
      guard let index = stored.arriving[lane]?.firstIndex(where: { $0.head.number == number })
      else { return }
      stored.arriving[lane]?[index].bytes += bytes
    }
  }

  func drop(_ number: UInt64, on lane: Lane, from peer: PeerID) {
    change(peer) { $0.arriving[lane]?.removeAll { $0.head.number == number } }
  }

  func take(_ lane: Lane, through number: UInt64, mark: [UInt8], from peer: PeerID) {
    change(peer) {
      $0.taken[lane] = number
      $0.takenMarks[lane] = mark
      $0.arriving[lane]?.removeAll { $0.head.number <= number }
    }
  }

  func begin(inbox: UInt64, taken: [Lane: UInt64], from peer: PeerID) {
    change(peer) {
      $0.inbox = inbox
      $0.taken = taken
      $0.takenMarks = [:]
      $0.arriving = [:]
    }
  }

  func renumber(outbox: UInt64, for peer: PeerID) {
    change(peer) {
      $0.outbox = outbox
      $0.queued = $0.queued.mapValues(\.renumbered)
      $0.next = $0.queued.mapValues { UInt64($0.count + 1) }
    }
  }

  func secretKey(orKeep fresh: [UInt8]) -> [UInt8] {
    key.withLock { key in
      let kept = key ?? fresh
      key = kept
      return kept
    }
  }

  func peers() -> [KnownPeer] { known.withLock { $0.values.sorted { $0.id < $1.id } } }

  func keep(_ peer: KnownPeer) { known.withLock { $0[peer.id] = peer } }

  func devices() -> [DeviceID: LinkPlan] { kept.withLock { $0 } }

  func keep(_ device: DeviceID, for plan: LinkPlan?) { kept.withLock { $0[device] = plan } }

  func forget(_ peer: PeerID) {
    messages.withLock { _ = $0.removeValue(forKey: peer) }
    known.withLock { _ = $0.removeValue(forKey: peer) }
  }

  func close() {}

  /// All that is kept of messages, as a backup has it.
  var snapshot: [PeerID: StoredMessages] { messages.withLock { $0 } }

  /// Goes back to a backup.
  func restore(_ snapshot: [PeerID: StoredMessages]) { messages.withLock { $0 = snapshot } }

  private func change(_ peer: PeerID, _ body: (inout StoredMessages) -> Void) {
    messages.withLock { body(&$0[peer, default: StoredMessages()]) }
  }
}

extension PeerID {
  /// A few of its bits, to tell outboxes apart.
  var fingerprint: UInt64 { bytes.prefix(4).reduce(0) { $0 << 8 | UInt64($1) } }
}
