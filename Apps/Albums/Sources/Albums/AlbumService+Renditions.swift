import Reunion
import ReunionServer

/// `/renditions/HASH/SIZE` and `/renditions/HASH/SIZE/EDIT`: what is made of originals, for all who joined.
extension AlbumService {
  static func renditions(of pipeline: PhotoPipeline) -> AppRoute {
    AppRoute([.get, .head], "renditions/*/*", "renditions/*/*/*", least: .view) { asked in
      guard let rendition = Rendition(path: asked.parts.dropFirst()) else {
        return .respond(
          .error(
            404, "There is no such rendition. Ask for 320, 2048 or full of a photo’s original."))
      }
      guard asked.device.role == .admin || rendition.size != .full else {
        return .respond(.error(403, "The full size is for the host alone. Ask the host for it."))
      }
      guard let path = try await pipeline.rendition(rendition, from: asked.sender.network) else {
        return .respond(
          .error(404, "This has not arrived yet, or is not shown any more. Ask again later."))
      }
      return .file(
        .ofPeople(
          path: path, contentType: "image/jpeg", entityTag: EntityTag("\(rendition)"),
          attachmentName: asked.request.path.query("name")))
    }
  }
}
