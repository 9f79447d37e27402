import ReunionFlow

/// What any thread may ask, and the serial queue does not have for itself.
struct Registry {
  var known: Set<PeerID> = []
  var invitations: [Invitation] = []
  var admitsStrangers = false
  var strangers = StrangerLimit()
  /// By device, what an app watches of a link.
  private(set) var links: [DeviceID: DeviceLink.Observables] = [:]
  /// By peer, whether messages flow.
  private var connected: [PeerID: Variable<Bool>] = [:]

  init(known: [KnownPeer]) { self.known = Set(known.map(\.id)) }

  /// What is watched of a link, made where it is not there yet.
  mutating func link(_ device: DeviceID, _ make: () -> DeviceLink.Observables)
    -> DeviceLink.Observables
  {
    if let link = links[device] { return link }
    let link = make()
    links[device] = link
    return link
  }

  /// Whether messages flow to and from a peer.
  mutating func isConnected(_ peer: PeerID) -> Variable<Bool> {
    if let node = connected[peer] { return node }
    let node = Variable(false)
    connected[peer] = node
    return node
  }
}
