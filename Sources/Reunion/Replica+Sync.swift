import Dispatch
public import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync

extension Replica {
  /// Keeps a space in sync with the server that a link leads to, until the connection is
  /// disconnected, or the replica is closed or released.
  ///
  /// ```swift
  /// let link = "http://192.168.1.20:8080/#join=SECRET"
  /// let space = try await replica.space(joining: link)
  /// let connection = try replica.sync(space, joining: link)
  /// let watching = connection.state.observe { print($0) }
  /// ```
  ///
  /// Call it once a start for each space, with the same link. The device joins once, and the
  /// membership is kept in the replica's folder, for its owner alone. Without a network it works
  /// offline, and joins or connects when there is one. Another link joins again and replaces the
  /// first. If the server no longer knows the device, the device joins again with the link, unless
  /// somebody removed it.
  ///
  /// It returns at once and waits for nothing. Every commit in the space goes to the server from
  /// then on, and what arrives shows in live queries. A second call for the same space makes a
  /// second connection.
  ///
  /// - Throws: `JoinError` `badLink` for an invalid link; `StoreError` `closed` if the replica is
  ///   closed. On Linux also the system's error, if it has no room for an event loop.
  ///   `Connection.state` tells everything else. It is `blocked` for a link that was used up or
  ///   opens another space, and `waiting` for a server that cannot be reached.
  @discardableResult
  public func sync(_ space: SpaceID, joining link: String) throws -> Connection {
    let enrolment = try Enrolment(space, by: link, in: store)
    return try connect(space, rejoins: { enrolment.rejoins() }) {
      try await enrolment.membership()
    }
  }

  /// The space that a link opens.
  ///
  /// It joins with the link the first time, and later reads the space from the replica's folder,
  /// even without a network. Then `sync(_:joining:)`, with the same link.
  ///
  /// It brings no records: they come with `sync`. *Durability*: the membership is on the disk when
  /// this returns. If it cannot be written, the device has joined all the same, and the next call
  /// with this link joins once more.
  ///
  /// - Throws: `JoinError` with a sentence for the person. `badLink`, also for a link to pair with;
  ///   `unreachable`, after 10 s without an answer. `refused` if the server does not let this
  ///   device in, as where the link has expired. `StoreError` if the membership cannot be read or
  ///   written.
  public func space(joining link: String) async throws -> SpaceID {
    let membership = try await Enrolment(nil, by: link, in: store).membership()
    guard let space = membership.spaceIDs.first else {
      throw JoinError(.refused, "The link opens no space at \(membership.server).")
    }
    return space
  }

  /// Keeps a space in sync with a server by a membership that the app keeps itself, such as in a
  /// keychain. Nothing of it is written into the replica's folder.
  ///
  /// ```swift
  /// let server = try await Membership.join(
  ///   link: "https://example.org/#join=SECRET", device: replica.store.device)
  /// let connection = try replica.sync(server.spaceIDs[0], with: server)
  /// ```
  ///
  /// The server must know the device under the number that the replica writes under, as here. If it
  /// has given this device another one, a role that may not edit others' records gets no session.
  ///
  /// If the server no longer knows the membership, the connection is `blocked`: join again, and
  /// call this with what that gave.
  /// - Throws: `StoreError` `closed` if the replica is closed.
  @discardableResult
  public func sync(_ space: SpaceID, with server: Membership) throws -> Connection {
    try connect(space) { server }
  }

  func connect(
    _ space: SpaceID, rejoins: @escaping @Sendable () -> Bool = { false },
    by membership: @escaping @Sendable () async throws -> Membership
  ) throws -> Connection {
    let opener = try linkOpener()
    var configuration = Session.Configuration(space: space)
    configuration.dialsServer = true
    configuration.features = .all
    configuration.audits = audits
    configuration.beginsAudits = true
    configuration.presence = unusedPresence(in: space).tap(of: nil)
    configuration.standing = try standingWatch(in: space).tap(of: nil)
    let connection = Connection(
      store: store, configuration: configuration, clock: clock,
      execute: executor,
      makeLink: { ServerLink(to: space, by: opener, membership: membership, rejoins: rejoins) })
    keep(connection, in: space)
    connection.connect()
    return connection
  }
}
