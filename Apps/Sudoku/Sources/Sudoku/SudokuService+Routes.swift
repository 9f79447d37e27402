import Foundation
import ReunionMedia
import ReunionServer

/// What a page asks for beside its book, for all who joined.
extension SudokuService {
  /// `POST /grab`: what is read of a photograph, which is kept nowhere.
  static func grab(_ reader: GrabReader) -> AppRoute {
    AppRoute([.post], "grab", least: .view, bodyBytesMax: GrabReader.bytesMax) { asked in
      do {
        guard let grab = try await reader.read(asked.body, by: asked.sender) else {
          return .respond(.error(404, Grab.noGrid))
        }
        return .respond(.json(200, grab))
      } catch let error as ImageError {
        throw UploadError(error.code == .tooManyWaiting ? 429 : 415, error.description)
      }
    }
  }
}
