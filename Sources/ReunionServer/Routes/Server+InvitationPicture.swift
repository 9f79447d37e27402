import Foundation
import ReunionFlow

extension Server {
  /// The role that a secret gives in the space to which it invites.
  private func role(of secret: String) throws -> Role {
    try (spaces.inviting(secret) ?? spaces.first).access.role(of: secret)
  }

  /// The invitation in a picture of its QR code, for a page whose browser cannot read it.
  func joinByPicture(_ request: HTTPRequest) -> HTTPAnswer {
    guard let readCodes = configuration.readCodes else { return .respond(Pages.unknown(request)) }
    guard let place = pictures.enter(from: request.remoteAddress) else {
      configuration.log?.note(.limited, ["what": "pictures"], from: request.remoteAddress)
      return .respond(
        .error(429, "Too many pictures are coming. Wait a minute, or ask for the link itself.")
          .with("Retry-After", "60"))
    }
    let path = InvitationPictures.path(of: place, in: configuration.uploadFolder)
    let release: @Sendable () -> Void = { [pictures] in
      unlink(path)
      pictures.leave(place)
    }
    let receiver = UploadReceiver(
      to: .init(path: path, limit: InvitationPictures.bytesMax, isNew: true), on: write,
      tell: configuration.notice, release: release
    ) { [self] responder in
      Task { [self] in
        let answer: HTTPResponse
        do {
          try InvitationPictures.requireTaken(path)
          let texts = pictures.holds(place) ? try? await readCodes(path) : nil
          let secret = try InvitationPictures.secret(in: texts, role: role(of:))
          answer = .json(200, ["invite": .text(secret)])
        } catch {
          answer = failure(error)
        }
        release()
        responder.respond(answer)
      }
    }
    return .receive(
      receiver, limitBytes: InvitationPictures.bytesMax,
      within: .seconds(InvitationPictures.secondsMax))
  }
}
