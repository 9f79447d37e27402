public import ReunionCore
import ReunionFlow
import ReunionStore

/// Spaces of a person's own, which roam between that person's devices.
///
///     let mine = try replica.ownSpace()
///     let connection = try replica.sync(mine)
///     let link = try await replica.pairingLink().url    // on one device
///     try await replica.pair(by: link)                  // on the other, then the first two lines
extension Replica {
  /// A space of the person's own, at once and without a network: the same at every call with this name,
  /// and on each of the person's devices once they are paired.
  ///
  /// `sync(_:)` opens it at the server, where it is for this person's devices alone.
  /// - Throws: `StoreError` where the folder cannot be read or written.
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

  /// Keeps a space in sync with the server by which this device is in it already: an own space, or one
  /// that it joined or was paired into.
  ///
  /// An own space is opened at the server that this device has joined; until it has joined one the
  /// connection is `waiting`. `called` is the name of this device in the list of the person's.
  /// - Throws: `StoreError` where the replica is closed. All else is told by `Connection.state`.
  @discardableResult
  public func sync(_ space: SpaceID, called name: String? = nil) throws -> Connection {
    let enrolment = OwnEnrolment(space, called: name, in: store)
    return try connect(space, rejoins: { enrolment.rejoins() }) {
      try await enrolment.membership()
    }
  }

  /// A link by which one more device becomes this person's: for ten minutes and one device. It takes the
  /// place of the one before.
  ///
  /// Whoever opens it has all that this person has: show it to nobody else, as a QR code or otherwise.
  /// - Throws: `JoinError` where no server was joined, or the server cannot be reached or refuses.
  public func pairingLink(called name: String? = nil) async throws -> PairingLink {
    _ = try ownSpace()
    let server = try await PersonServer(MembershipFolder(of: store))
    guard let person = try personal.withLock({ _ in try PersonFile(of: store).read() }) else {
      throw JoinError(.notJoined, "This device is nobody's yet. Open an own space first.")
    }
    return try await server.offer(of: person.person, called: name)
  }

  /// The devices of this person.
  ///
  /// - Throws: as `pairingLink`.
  public func ownDevices() async throws -> [OwnDevice] {
    try await PersonServer(MembershipFolder(of: store)).devices()
  }

  /// Takes one of the person's devices away: it opens nothing any more at this server, and its sessions end.
  /// What it brought stays, and what it holds it keeps.
  ///
  /// - Throws: as `pairingLink`.
  public func remove(_ device: OwnDevice) async throws {
    try await PersonServer(MembershipFolder(of: store)).remove(device)
  }
}
