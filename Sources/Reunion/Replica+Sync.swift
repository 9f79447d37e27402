import Dispatch
public import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync

extension Replica {
  /// Keeps a space in sync with the server that a link leads to, until the connection is disconnected, or
  /// the replica is closed or released.
  ///
  ///     let space = try await replica.space(joining: link)
  ///     let connection = try replica.sync(space, joining: link)
  ///     let watching = connection.state.observe { print($0) }
  ///
  /// Call it at every start, with the same link: the device joins once, and the membership is kept in
  /// the replica's folder, for its owner alone. Without a network it works offline, and joins or
  /// connects when there is one. Another link joins again and replaces the first. If the server no
  /// longer knows the device, the device joins again with the link, unless somebody removed it.
  ///
  /// - Throws: `JoinError` for an invalid link, `StoreError` if the replica is closed.
  ///   `Connection.state` tells everything else: a link that was used up, a server that does not serve
  ///   the space.
  @discardableResult
  public func sync(_ space: SpaceID, joining link: String) throws -> Connection {
    let enrolment = try Enrolment(space, by: link, in: store)
    return try connect(space, rejoins: { enrolment.rejoins() }) {
      try await enrolment.membership()
    }
  }

  /// The space that a link opens: joins with the link the first time, and later reads the space from
  /// the replica's folder, even without a network. Then `sync(_:joining:)`, with the same link.
  ///
  /// - Throws: `JoinError` for an invalid link, or if the server cannot be reached or does not let this
  ///   device in.
  public func space(joining link: String) async throws -> SpaceID {
    let membership = try await Enrolment(nil, by: link, in: store).membership()
    guard let space = membership.spaceIDs.first else {
      throw JoinError(.refused, "The link opens no space at \(membership.server).")
    }
    return space
  }

  /// Keeps a space in sync with a server by a membership that the app keeps itself.
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
    let connection = Connection(
      store: store, configuration: configuration, clock: clock,
      execute: executor,
      makeLink: { ServerLink(to: space, by: opener, membership: membership, rejoins: rejoins) })
    keep(connection, in: space)
    connection.connect()
    return connection
  }
}
