import Foundation
import ReunionMedia
import ReunionServer

/// What a page asks for beside its book, for all who joined.
extension SudokuService {
  /// `POST /grab`: what is read of a photograph, which is kept nowhere.
  static func grab(_ reader: GrabReader) -> AppRoute {
    AppRoute([.post], "grab", least: .view, bodyBytesMax: GrabReader.bytesMax) { asked in
      do {
        guard let grab = try await reader.read(asked.body, by: asked.device.number) else {
          return .respond(.error(404, Grab.noGrid))
        }
        return .respond(.json(200, grab))
      } catch let error as ImageError {
        throw UploadError(error.code == .tooManyWaiting ? 429 : 415, error.description)
      }
    }
  }

  /// `POST /code`: the QR code of a text, as SVG: `{"svg"}`.
  static let code = AppRoute([.post], "code", least: .view, bodyBytesMax: 1000) { asked in
    let text = String(decoding: asked.body, as: UTF8.self)
    guard let code = try? QRCode.matrix(of: text, errorCorrection: .low) else {
      return .respond(.error(400, "This text is too long for a QR code."))
    }
    return .respond(.json(200, ["svg": code.svg(title: "QR code of the link")]))
  }
}
