import ReunionCore

/// The session of a replica.
extension Server {
  func sync(
    _ request: HTTPRequest, by device: Access.Device, in space: ServedSpace
  ) -> HTTPAnswer {
    let asked = request.path.query("space").flatMap { SpaceID($0) } ?? space.id
    // The person's devices say who is in an own space, and the server writes that down.
    guard asked == space.id || device.role == .admin && !space.isOwn else {
      return .respond(.error(403, "This device may not sync that space. Open an invitation to it."))
    }
    guard request.bearer != nil || request.header("Origin") != nil else {
      return .respond(.error(403, "A browser must say which page asks: send Origin."))
    }
    guard relay.sessionCount(of: device.number, in: space.id) < Relay.sessionsMax else {
      note(.limited, ["what": "sessions", "device": name(of: device)], request)
      return .respond(
        .error(429, "This device is connected too often already. Close some of its pages."))
    }
    return .webSocket { [self] connection in
      relay.welcome(device, to: asked, of: space, over: connection)
    }
  }
}
