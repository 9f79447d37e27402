public import ReunionCore
import ReunionFlow
import ReunionStore

/// Spaces of a person's own, which roam between that person's devices.
///
/// ```swift
/// let mine = try replica.ownSpace()
/// let connection = try replica.sync(mine)
/// let link = try await replica.pairingLink().url    // on one device
/// try await replica.pair(by: link)                  // on the other, then the first two lines
/// ```
extension Replica {
  /// A space of the person's own, at once and without a network.
  ///
  /// It is the same at every call with this name, and on each of the person's devices once they are
  /// paired.
  ///
  /// ```swift
  /// let book = try replica.ownSpace("book")
  /// let settings = try replica.settings(of: replica.ownSpace())
  /// ```
  ///
  /// `sync(_:)` opens it at the server, where it is for this person's devices alone. A server opens
  /// 16 for a person, with names of at most 256 bytes. After `pair` the same name gives another
  /// space.
  ///
  /// *Durability*: who the person is, and that the name was asked for, is on the disk when this
  /// returns. *Cost*: reads a small file; the first call with a name writes it.
  /// - Throws: `StoreError` where the folder cannot be read or written; `damaged` where what it
  ///   knows of the person cannot be understood. It draws no new person then: that one would see
  ///   empty spaces.
  public func ownSpace(_ name: String = "") throws -> SpaceID {
    try personal.withLock { _ in
      let file = PersonFile(of: store)
      var kept = try file.read() ?? .stranger
      if !kept.names.contains(name) {
        kept.names.append(name)
        try file.write(kept)
      }
      return kept.space(name)
    }
  }

  /// Keeps a space in sync with the server by which this device is in it already.
  ///
  /// It is for own spaces, and for those that the device has joined or was paired into.
  ///
  /// An own space is opened at the server that this device has joined; until it has joined one the
  /// connection is `waiting`. For any other space that it has not joined the connection is
  /// `blocked`. Call it once a start for each space.
  /// - Parameters:
  ///   - space: A space of `ownSpace`, of `space(joining:)` or of a `Pairing`.
  ///   - name: What this device is called in the list of the person's, at most 64 bytes. The server
  ///     is told once, when this device opens the own space there; `pairingLink` tells it again.
  /// - Returns: The connection, which the replica keeps as well.
  /// - Throws: `StoreError` `closed` where the replica is closed. All else is told by
  ///   `Connection.state`.
  @discardableResult
  public func sync(_ space: SpaceID, called name: String? = nil) throws -> Connection {
    let enrolment = OwnEnrolment(space, called: name, in: store)
    return try connect(space, rejoins: { enrolment.rejoins() }) {
      try await enrolment.membership()
    }
  }

  /// A link by which one more device becomes this person's: for ten minutes and one device. It
  /// takes the place of the one before.
  ///
  /// Whoever opens it has all that this person has: show it to nobody else, as a QR code or
  /// otherwise. The new device gets the roles that this one has at this server.
  /// - Parameter name: What this device is called in the list of the person's; nil leaves it as it
  ///   is.
  /// - Returns: The link, and when it ends.
  /// - Throws: `JoinError` with a sentence for the person. `notJoined` where no server was joined
  ///   yet; `unreachable` where it does not answer in 10 s. `refused` if the server gives no own
  ///   spaces, or is asked too often. `StoreError` where the folder cannot be read or written.
  public func pairingLink(called name: String? = nil) async throws -> PairingLink {
    _ = try ownSpace()
    let server = try await PersonServer(MembershipFolder(of: store))
    guard let person = try personal.withLock({ _ in try PersonFile(of: store).read() }) else {
      throw JoinError(.notJoined, "This device is nobody's yet. Open an own space first.")
    }
    return try await server.offer(of: person.person, called: name)
  }

  /// The devices of this person, as the server that this device has joined knows them, this one
  /// too.
  ///
  /// It asks the server each time: there is no list without a network.
  /// - Throws: as `pairingLink`. Also `refused` while no own space was opened and no pairing link
  ///   made: the server knows no person of this device then.
  public func ownDevices() async throws -> [OwnDevice] {
    try await PersonServer(MembershipFolder(of: store)).devices()
  }

  /// Takes one of the person's devices away: it opens nothing any more at this server, and its
  /// sessions end. What it brought stays, and what it holds it keeps.
  ///
  /// ```swift
  /// for device in try await replica.ownDevices() where device.name == "Lost phone" {
  ///   try await replica.remove(device)
  /// }
  /// ```
  /// - Throws: as `pairingLink`; `refused` where the person has no such device any more.
  public func remove(_ device: OwnDevice) async throws {
    try await PersonServer(MembershipFolder(of: store)).remove(device)
  }
}
