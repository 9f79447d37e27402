import Foundation
import ReunionCore
import ReunionStore

extension Server {
  /// `GET /block?space=ID`: a space in one file, for a page that holds nothing of it yet.
  ///
  /// Where there is none, because the space is small, or the page's device wrote in it before, the session
  /// brings everything.
  func block(by device: Access.Device, in space: ServedSpace) -> HTTPAnswer {
    .later { [self] responder in
      Self.prompt.async { [self] in
        let nothing = HTTPResponse(204).with("Cache-Control", "no-store")
        guard (try? store.hasChanges(of: device.number, in: space.id)) == false else {
          return responder.respond(nothing)
        }
        blocks.block(of: space.id, .leaf) { block in
          guard let block else { return responder.respond(nothing) }
          responder.respond(
            FileResponse(
              path: block.path, contentType: "application/octet-stream",
              entityTag: EntityTag(block.hash.description), cacheControl: "no-store",
              headers: ["Cross-Origin-Resource-Policy": "same-origin"]))
        }
      }
    }
  }
}
