#if SEEDED_BUGS
  package import ReunionCore

  extension SeededBug {
    /// What the other side brings is taken whatever its role is.
    package static var roleNotChecked: Self { Self() }
    /// Whoever says a key is a member.
    package static var membershipNotChecked: Self { Self() }
    /// What a key's holder signed is not looked at.
    package static var signatureNotChecked: Self { Self() }
    /// A message of a link that is over is taken for one of the present link.
    package static var staleMessageDelivered: Self { Self() }
    /// Where a side stands is not said again to a program that listened too late.
    package static var saidOnce: Self { Self() }
    /// While one of the two has a server, Bluetooth rests, though the other has none.
    package static var restsForOne: Self { Self() }
    /// Pieces of blobs go before records that are written meanwhile.
    package static var blobsFirst: Self { Self() }
    /// Blobs come as they are found, originals before previews.
    package static var blobsUnordered: Self { Self() }
  }
#endif
