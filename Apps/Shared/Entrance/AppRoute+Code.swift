import ReunionMedia
public import ReunionServer

extension AppRoute {
  /// `POST /code`: the QR code of a text of at most 1,000 bytes, as SVG: `{"svg"}`.
  public static func code(least: Role) -> AppRoute {
    AppRoute([.post], "code", least: least, bodyBytesMax: 1000) { asked in
      let text = String(decoding: asked.body, as: UTF8.self)
      guard let code = try? QRCode.matrix(of: text, errorCorrection: .low) else {
        return .respond(.error(400, "This text is too long for a QR code."))
      }
      return .respond(.json(200, ["svg": code.svg(title: "QR code of the link")]))
    }
  }
}
