/// What the image worker answers, in one frame.
enum WorkerAnswer: Sendable {
  case image(RenderedImage)
  case barcodes([Barcode])
  /// What the program made of the pixels.
  case read([UInt8])
  case error(ImageError)

  /// What the worker says first, so that the host knows that it did not start something else; the walls
  /// that it has put up follow.
  private static let greeting = Array("reunion-images 3 ".utf8)

  static func greeting(within walls: ImageSandbox) -> [UInt8] {
    greeting + Array("\(walls.rawValue)".utf8)
  }

  /// The walls of a worker that greets so; nil for anything else.
  static func walls(inGreeting bytes: [UInt8]) -> ImageSandbox? {
    guard bytes.starts(with: greeting) else { return nil }
    return UInt32(String(decoding: bytes.dropFirst(greeting.count), as: UTF8.self))
      .map(ImageSandbox.init)
  }
  /// Most bytes in an answer, whatever a worker gone wrong announces.
  static let frameBytesMax = 128 << 20

  var packed: [UInt8] {
    var packer = Packer()
    switch self {
    case .error(let error):
      packer.put(UInt8(0))
      packer.put(Array(error.code.description.utf8))
      packer.put(Array(error.detail.utf8.prefix(1024)))
    case .barcodes(let codes):
      packer.put(UInt8(2))
      packer.put(UInt32(clamping: codes.count))
      for code in codes { code.pack(into: &packer) }
    case .read(let bytes):
      packer.put(UInt8(3))
      packer.put(bytes)
    case .image(let image):
      packer.put(UInt8(1))
      packer.put(Int32(clamping: image.width))
      packer.put(Int32(clamping: image.height))
      packer.put(Array(image.format.rawValue.utf8))
      Self.put(image.captureTime, into: &packer)
      packer.put(UInt8(image.hasLocation ? 1 : 0))
      packer.put(image.placeholder)
      packer.put(UInt8(clamping: image.renditions.count))
      for rendition in image.renditions {
        packer.put(Int32(clamping: rendition.longEdge))
        packer.put(Int32(clamping: rendition.width))
        packer.put(Int32(clamping: rendition.height))
        packer.put(rendition.bytes)
      }
    }
    return packer.bytes
  }

  init?(packed: [UInt8]) {
    var reader = Unpacker(packed)
    switch reader.number(UInt8.self) {
    case 0:
      guard let code = reader.text(), let detail = reader.text() else { return nil }
      self = .error(ImageError(ImageError.Code(description: code), detail: detail))
    case 1:
      guard let image = Self.image(&reader) else { return nil }
      self = .image(image)
    case 2:
      guard let count = reader.number(UInt32.self) else { return nil }
      var codes: [Barcode] = []
      for _ in 0..<count {
        guard let code = Barcode(from: &reader) else { return nil }
        codes.append(code)
      }
      self = .barcodes(codes)
    case 3:
      guard let bytes = reader.data() else { return nil }
      self = .read(bytes)
    default: return nil
    }
    guard reader.isAtEnd else { return nil }
  }

  init(_ image: RenderedImage) {
    self = .image(image)
  }

  private static func image(_ reader: inout Unpacker) -> RenderedImage? {
    guard let width = reader.number(Int32.self), let height = reader.number(Int32.self),
      width > 0, height > 0, let format = reader.text().flatMap(ImageFormat.init(rawValue:)),
      let clock = reader.number(UInt8.self), let wall = reader.number(Int64.self),
      let zone = reader.number(UInt8.self), let offset = reader.number(Int32.self),
      let hasLocation = reader.number(UInt8.self), let placeholder = reader.number(UInt32.self),
      let count = reader.number(UInt8.self)
    else { return nil }
    var renditions: [RenderedImage.Rendition] = []
    for _ in 0..<count {
      guard let longEdge = reader.number(Int32.self), let width = reader.number(Int32.self),
        let height = reader.number(Int32.self), width > 0, height > 0, let bytes = reader.data()
      else { return nil }
      renditions.append(
        .init(longEdge: Int(longEdge), width: Int(width), height: Int(height), bytes: bytes))
    }
    return RenderedImage(
      width: Int(width), height: Int(height), format: format,
      captureTime: time(clock, wall, zone, offset), hasLocation: hasLocation == 1,
      placeholder: placeholder & 0xFFFFFF, renditions: renditions)
  }

  private static func put(_ time: CaptureTime?, into packer: inout Packer) {
    packer.put(time?.clock.rawValue ?? 0)
    packer.put(time?.wallMilliseconds ?? 0)
    packer.put(time?.zone?.rawValue ?? 0)
    packer.put(Int32(clamping: time?.offsetSeconds ?? 0))
  }

  /// A time that such numbers say; nil where they say none.
  private static func time(
    _ clock: UInt8, _ wall: Int64, _ zone: UInt8, _ offset: Int32
  ) -> CaptureTime? {
    guard let clock = CaptureTime.Clock(rawValue: clock),
      CameraDate.isInCalendar(milliseconds: wall)
    else { return nil }
    let known = CaptureTime.Zone(rawValue: zone).flatMap { zone in
      CameraDate.zones.contains(Int(offset)) ? (Int(offset), zone) : nil
    }
    return CaptureTime(wallMilliseconds: wall, clock: clock, offset: known)
  }
}
