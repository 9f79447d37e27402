import Dispatch
import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync

/// The sessions of a server: the replica that is always on.
///
/// *Thread*: any. The sessions' work runs on one serial queue, where waiting for the disk is fine.
final class Relay: Sendable {
  private struct Peer {
    let device: Access.Device
    let session: Session
    let connection: WebSocketConnection
    let observation: Subscription
  }

  private let store: Store
  private let isMember: @Sendable (Access.Device) -> Bool
  private let queue = DispatchQueue(label: "reunion.relay")
  private let peers = Lock<[ObjectIdentifier: Peer]>([:])

  init(store: Store, isMember: @escaping @Sendable (Access.Device) -> Bool) {
    self.store = store
    self.isMember = isMember
  }

  /// The number of replicas that are connected.
  var replicaCount: Int { peers.withLock { $0.count } }

  /// Starts a session with a device that has shown its token.
  func welcome(_ device: Access.Device, to space: SpaceID, over connection: WebSocketConnection) {
    let mayHaveBlobs = device.isReplica && device.role == .admin
    var configuration = Session.Configuration(
      space: space, authority: device.role.authority(of: device.number),
      servesBlobs: mayHaveBlobs, fetchesBlobs: mayHaveBlobs)
    // A WebSocket is fast, and a browser pays for every message.
    configuration.messageBytesSoftMax = 64 * 1024
    let queue = queue
    let session = Session(
      link: connection, store: store, configuration: configuration, clock: .system,
      execute: { work in queue.async(execute: work) })
    let key = ObjectIdentifier(session)
    let observation = session.state.observe { [weak self] state in
      if case .closed = state { self?.leave(key) }
    }
    peers.withLock {
      $0[key] = Peer(
        device: device, session: session, connection: connection, observation: observation)
    }
    session.start()
    // It may have been put out between its request and now.
    endRevoked()
  }

  /// Ends the sessions of devices that were put out.
  func endRevoked() {
    let sentence = "The host has ended this device's membership."
    for peer in peers.withLock({ Array($0.values) }) where !isMember(peer.device) {
      let bye = Bye(code: .notAllowed, sentence: Array(sentence.utf8))
      peer.connection.send(Message.bye(bye).encoded())
      peer.connection.close(code: 4401, reason: sentence)
    }
  }

  /// Tells everyone that a blob has arrived: replicas fetch it, pages show it.
  func announce(_ hash: BlobHash) {
    for peer in peers.withLock({ Array($0.values) }) {
      peer.session.announce([hash])
    }
  }

  /// Waits until the work that is under way is on disk.
  func drain() { queue.sync {} }

  private func leave(_ key: ObjectIdentifier) {
    _ = peers.withLock { $0.removeValue(forKey: key) }
  }
}
