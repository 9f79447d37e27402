public import ReunionCore
public import ReunionFlow
public import ReunionStore

/// A receipt for what this device wrote in a space up to a moment: it tells how far that has come.
///
/// ```swift
/// let receipt = try replica.receipt(in: space)
/// let showing = receipt.reach.observe { reach in
///   print(reach.isOnServer ? "On the server." : "On this device.")
/// }
/// try await receipt.reached(.safe)
/// ```
///
/// It needs a connection, by `sync` or a peer nearby, and survives its end: what was known stays. A server
/// that went back to an earlier state takes its word back, and the reach falls until it has got all again.
/// After a restart of the app a new receipt finds out anew.
///
/// *Thread*: any.
public final class Receipt: Sendable {
  struct State: Hashable, Sendable {
    var reach = Reach.here
    var refused: RefusedChange?
    var isClosed = false
  }

  /// What it stands for: changes of this device, or of a record.
  package let dots: [Dot]
  /// The arrival up to which all of it stands here.
  let arrival: UInt64
  /// Whether it is this device's alone.
  let isOwn: Bool
  /// The blobs that it needs; nil for all that this device's records name.
  let blobs: Set<BlobHash>?
  private let node = Variable(State())
  private let known = Lock(Known())
  /// Has it looked at for as long as somebody keeps it.
  private let watch: StandingWatch

  /// What was heard, from whom.
  private struct Known {
    var isOnServer = false
    var ofServer: Set<UInt64> = []
    var ofPeers: Set<UInt64> = []
  }

  init(
    _ dots: [Dot], at arrival: UInt64, isOwn: Bool, blobs: Set<BlobHash>?, by watch: StandingWatch
  ) {
    self.dots = dots
    self.arrival = arrival
    self.isOwn = isOwn
    self.blobs = blobs
    self.watch = watch
  }

  /// How far it has come.
  public var reach: Signal<Reach> { node.signal.map(\.reach).distinct() }

  /// The devices that have it.
  package var devices: Set<UInt64> { known.withLock { $0.ofServer.union($0.ofPeers) } }

  /// Waits until it has come that far.
  ///
  /// A refusal that came between a write and its receipt, at most a minute before, is thrown as well.
  ///
  /// *Cancellation*: throws `CancellationError`; what it stands for goes on.
  /// - Throws: `RefusedChange` if the server refused some of it, which is taken back here then. `StoreError`
  ///   `closed` if the replica is closed meanwhile.
  public func reached(_ goal: Reach.Goal) async throws {
    for await state in node.signal.values() {
      if let refused = state.refused { throw refused }
      if state.reach.has(reached: goal) { return }
      if state.isClosed {
        throw StoreError(.closed, "The replica is closed: open it again to see where changes are.")
      }
    }
    throw CancellationError()
  }

  /// Hears what a server says: whether it has it, and which devices have; nil for what it does not know yet.
  func hear(isOnServer: Bool?, devices: Set<UInt64>?) {
    update { known in
      if let isOnServer { known.isOnServer = isOnServer }
      if let devices { known.ofServer = devices }
    }
  }

  /// Hears whether a peer has it.
  func hear(peer: UInt64, has: Bool) {
    update { known in
      if has { known.ofPeers.insert(peer) } else { known.ofPeers.remove(peer) }
    }
  }

  private func update(_ change: (inout Known) -> Void) {
    let reach = known.withLock { known in
      change(&known)
      return Reach(
        isOnServer: known.isOnServer, deviceCount: known.ofServer.union(known.ofPeers).count)
    }
    if node.value.reach != reach { node.update { $0.reach = reach } }
  }

  /// Whether some of what was refused is of what it stands for.
  func covers(_ refused: RefusedChange) -> Bool {
    refused.dots.contains { dot in
      dots.contains { $0.site == dot.site && $0.seq >= dot.seq && (isOwn || $0 == dot) }
    }
  }

  /// Hears that the server refused a change of it.
  func hear(_ refused: RefusedChange) {
    node.update { $0.refused = $0.refused ?? refused }
  }

  func close() { node.update { $0.isClosed = true } }
}
