import Foundation
import Reunion
import ReunionBluetooth
import ReunionNearby
import ReunionCommandLine
import ReunionCore
import ReunionFlow

/// What `serve` and `join` do alike: a folder's store, the peers with whom its spaces are shared, and what is
/// told of them.
///
/// The store is opened without its app's model: records that nobody here knows are kept and passed on.
final class SpaceSharing: Sendable {
  let replica: Replica
  let bluetooth: Bluetooth
  private let output: Output
  private let shared: Lock<SharedSpaces>
  private let syncs = Lock<[SharedSpaces.Entry: PeerSync]>([:])
  private let beacon = Lock<SignalSubscription?>(nil)
  private let watching = Lock<[SignalSubscription]>([])

  init(folder: String, _ invocation: Invocation) throws {
    output = invocation.output
    shared = Lock(try SharedSpaces(folder: folder))
    replica = try Replica(folder: folder)
    bluetooth = try Bluetooth(radio: invocation.radio, folder: "\(folder)/bluetooth")
  }

  var entries: [SharedSpaces.Entry] { shared.withLock { $0.entries } }

  /// Goes on with those with whom something is shared already.
  func resume() throws {
    for entry in entries {
      if let peer = bluetooth.peer(entry.peer) { try sync(entry.space, over: peer) }
    }
  }

  /// Lets everybody in who comes by the invitation, and tells them which space it is.
  func serve(_ space: SpaceID, by invitation: Invitation) {
    let verified = bluetooth.verified.observe { [weak self] peer in
      // A known peer came by another code, or has been welcomed.
      if peer.invitation == invitation { self?.welcome(peer, to: space) }
    }
    watching.withLock { $0.append(verified) }
    bluetooth.open(invitation)
    bluetooth.advertise()
    tellFailure { try advertise(space) }
  }

  /// Advertises the space from now on, so that its members can tell; without members nobody could.
  private func advertise(_ space: SpaceID) throws {
    guard try !replica.members(of: space).isEmpty, beacon.withLock({ $0 == nil }) else { return }
    let advertising = try replica.advertise([space], over: bluetooth)
    beacon.withLock { $0 = advertising }
  }

  private func welcome(_ peer: VerifiedPeer, to space: SpaceID) {
    let entry = SharedSpaces.Entry(peer: peer.id, space: space)
    tellFailure {
      // A peer that is let in already may have missed the offer. It is not let in again: an admin
      // may have ended that.
      if !shared.withLock({ $0.holds(peer.id) }) {
        try replica.admit(peer.id, to: space, as: .edit)
        try keep(entry)
        try sync(space, over: peer)
        try advertise(space)
      }
      guard entries.contains(entry) else { return }
      peer.send(SpaceOffer.bytes(of: space)) { _ in }
    }
  }

  /// Takes the space that is offered by the one who has the code, once.
  func takeOffers(by invitation: Invitation?) {
    let verified = bluetooth.verified.observe { [weak self] peer in
      let isMeant = peer.invitation != nil && peer.invitation == invitation
      guard let self, isMeant || shared.withLock({ $0.holds(peer.id) }) else { return }
      peer.receive { [weak self] message in
        self?.tellFailure {
          try self?.take(message.bytes, from: peer)
          message.taken()
        }
      }
    }
    watching.withLock { $0.append(verified) }
  }

  private func take(_ bytes: [UInt8], from peer: VerifiedPeer) throws {
    // A message of something else is of no use here.
    guard let space = SpaceOffer.space(in: bytes), entries.isEmpty else { return }
    try keep(SharedSpaces.Entry(peer: peer.id, space: space))
    try sync(space, over: peer)
  }

  private func keep(_ entry: SharedSpaces.Entry) throws {
    try shared.withLock { try $0.keep(entry) }
  }

  private func sync(_ space: SpaceID, over peer: VerifiedPeer) throws {
    let entry = SharedSpaces.Entry(peer: peer.id, space: space)
    guard syncs.withLock({ $0[entry] == nil }) else { return }
    let sync = try replica.sync(space, over: peer)
    syncs.withLock { $0[entry] = sync }
    let name = String(peer.id.description.prefix(8))
    let output = output
    let state = sync.state.observe { state in
      guard let (word, sentence) = Self.words(for: state, name) else { return }
      output.remark(["peer": peer.id.description, "state": word], sentence)
    }
    watching.withLock { $0.append(state) }
  }

  private static func words(for state: Connection.State, _ name: String) -> (String, String)? {
    switch state {
    case .online: ("here", "\(name) is here.")
    case .idle: ("away", "\(name) is not in reach; it syncs as soon as it is.")
    case .blocked(let reason): ("blocked", "\(name): \(reason.onOneLine)")
    case .connecting, .handshaking, .waiting: nil
    }
  }

  /// What cannot be returned is told.
  private func tellFailure(_ body: () throws -> Void) {
    do { try body() } catch { output.remark(["problem": "\(error)"], "\(error)") }
  }

  // MARK: Until it is stopped

  /// Tells what has arrived, until a signal or the time that was given.
  func stay(_ invocation: Invocation) async throws {
    let end = invocation.time.map { ContinuousClock.now + $0 }
    var told = ""
    while end.map({ ContinuousClock.now < $0 }) ?? true {
      let progress = try SharingProgress(replica, Array(syncs.withLock { $0.values }), entries)
      if progress.sentence != told { output.say(progress.fields, progress.sentence) }
      told = progress.sentence
      try? await Task.sleep(for: .milliseconds(250))
      if invocation.stop?.wait(milliseconds: 0) == true { break }
    }
    for sync in syncs.withLock({ $0.values }) { sync.end() }
    try replica.close()
  }
}

/// How far the store is, as of one look.
struct SharingProgress {
  let fields: [String: any Sendable]
  let sentence: String

  init(_ replica: Replica, _ syncs: [PeerSync], _ entries: [SharedSpaces.Entry]) throws {
    let counts = try replica.store.counts()
    let spaces = Set(entries.map(\.space))
    let missing = try spaces.reduce(0) { try $0 + replica.store.blobs.missing(in: $1).count }
    let online = syncs.filter { $0.state.value == .online }
    let state =
      online.isEmpty
      ? "waiting" : online.allSatisfy(\.hasCaughtUp) && missing == 0 ? "live" : "copying"
    fields = [
      "records": counts.records, "blobs": counts.blobs, "missing": missing, "state": state,
      "peers": online.count,
    ]
    let held = "\(counts.records.counted("record")) and \(counts.blobs.counted("blob")) are here"
    sentence =
      switch state {
      case "live": "Complete: \(held)."
      case "waiting": "Waits for the other device: \(held)."
      default: "Copying: \(held), \(missing.counted("blob")) to come."
      }
  }
}
