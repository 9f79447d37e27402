/// A fault that is built in on purpose: the negative control of a test.
package enum PeerBug: Hashable, Sendable, CaseIterable {
  /// What the other side brings is taken whatever its role is.
  case roleNotChecked
  /// Whoever says a key is a member.
  case membershipNotChecked
  /// What a key's holder signed is not looked at.
  case signatureNotChecked
  /// A message of a link that is over is taken for one of the present link.
  case staleMessageDelivered
  /// Where a side stands is not said again to a program that listened too late.
  case saidOnce
  /// While one of the two has a server, Bluetooth rests, though the other has none.
  case restsForOne
  /// Pieces of blobs go before records that are written meanwhile.
  case blobsFirst
  /// Blobs come as they are found, originals before previews.
  case blobsUnordered
}
