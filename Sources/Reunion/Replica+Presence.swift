public import ReunionCore
import ReunionFlow

extension Replica {
  /// What the devices that are connected in a space show each other. The same object at each call.
  ///
  /// It needs a connection, by `sync` or a peer nearby, and waits for none.
  public func presence(in space: SpaceID) -> Presence {
    let presence = unusedPresence(in: space)
    presence.want()
    return presence
  }

  /// The same, for a connection: it is used once the app asks for it.
  package func unusedPresence(in space: SpaceID) -> Presence {
    attachment { Presences() }.presence(in: space) {
      Presence(clock: clock, execute: executor)
    }
  }
}

/// The presence of each space of a replica.
private final class Presences: Sendable {
  private let spaces = Lock<[SpaceID: Presence]>([:])

  func presence(in space: SpaceID, _ make: () -> Presence) -> Presence {
    spaces.withLock { spaces in
      if let known = spaces[space] { return known }
      let made = make()
      spaces[space] = made
      return made
    }
  }
}
