import Foundation
public import ReunionCore

/// An app's own route, beside the routes that every server has.
///
/// ```swift
/// let book = ["ahoy": "A greeting at sea."]
/// let word = AppRoute([.get], "words/*", least: .view) { asked in
///   guard let text = book[asked.parts[1]] else {
///     return .respond(.error(404, "There is no such word."))
///   }
///   return .respond(.json(200, ["text": text]))
/// }
/// ```
///
/// It goes into `Server.Configuration.routes`. The server's own paths come first. A device that has
/// not joined, or has a lesser role, is refused before the closure is called.
/// *Thread*: the closure runs on any thread, several at once.
public struct AppRoute: Sendable {
  /// The device that asks, and what it asks for.
  public struct Asked: Sendable {
    /// The request.
    public let request: HTTPRequest
    /// Its body; empty for a route that reads none.
    public let body: [UInt8]
    /// The device that asks, with its role in the space.
    public let device: Access.Device
    /// The device and its network, for taking turns at what costs much.
    public var sender: Sender { Sender(device.number, from: request.remoteAddress) }
    /// The space that the request is about.
    public let space: SpaceID
    /// The components of its path, decoded, and as many as the route's path has.
    public var parts: [String] { request.path.components }
  }

  /// What it answers.
  public enum Answer: Sendable {
    /// An answer from memory.
    case respond(HTTPResponse)
    /// An answer from a file.
    case file(FileResponse)
  }

  let row: Route.Row
  let bodyBytesMax: Int
  let answer: @Sendable (Asked) async throws -> Answer

  /// Makes a route to `path`, for devices with at least the role `least`. A component `*` stands
  /// for any one.
  ///
  /// With `bodyBytesMax` it has the request's body, of at most that many bytes: more gets 413.
  /// Bodies are in memory: two of one device at a time, and eight that are worked on. On routes that read at
  /// most 64 KiB they are sixteen and 256. One more gets 503, or the place of the slowest.
  ///
  /// If the closure throws an `UploadError`, the answer has its status and sentence; any other
  /// error is a 500.
  public init(
    _ methods: Set<HTTPRequest.Method>, _ paths: String..., least: Role, bodyBytesMax: Int = 0,
    answer: @escaping @Sendable (Asked) async throws -> Answer
  ) {
    row = Route.Row(methods: methods, paths: paths, least: least)
    self.bodyBytesMax = bodyBytesMax
    self.answer = answer
  }
}

extension Server {
  /// The app's route to what a request asks for, if the app has one.
  func appRoute(_ request: HTTPRequest) -> AppRoute? {
    configuration.routes.first { $0.row.leads(request.method, request.path.components) }
  }

  func answer(
    _ route: AppRoute, _ request: HTTPRequest, by device: Access.Device, in space: ServedSpace
  ) -> HTTPAnswer {
    guard route.bodyBytesMax > 0 else {
      return .later { [self] responder in
        perform(route, request, [], by: device, in: space, responder) {}
      }
    }
    let now = Date().timeIntervalSince1970
    guard let place = bodies.enter(device.number, bytesMax: route.bodyBytesMax, at: now) else {
      return .respond(PlacedBody.refusal)
    }
    return .receive(
      PlacedBody(place) { [self] body, place, responder in
        // Whoever has the answer may ask the next question.
        perform(route, request, body, by: device, in: space, responder) { place.leave() }
      }, limitBytes: UInt64(route.bodyBytesMax),
      within: HTTPAnswer.patience(for: UInt64(route.bodyBytesMax)))
  }

  private func perform(
    _ route: AppRoute, _ request: HTTPRequest, _ body: [UInt8], by device: Access.Device,
    in space: ServedSpace, _ responder: HTTPResponder,
    beforeAnswer: @escaping @Sendable () -> Void
  ) {
    Task { [self] in
      let answer: AppRoute.Answer
      do {
        let asked = AppRoute.Asked(request: request, body: body, device: device, space: space.id)
        answer = try await route.answer(asked)
      } catch {
        if (error as? UploadError)?.status == 429 {
          note(.limited, ["what": request.path.components.first ?? ""], request)
        }
        answer = .respond(failure(error))
      }
      beforeAnswer()
      switch answer {
      case .respond(let response): responder.respond(response)
      case .file(let file): responder.respond(file)
      }
    }
  }
}
