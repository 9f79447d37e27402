import CVips
import ReunionCore

/// Answers requests inside the worker; every byte that it reads may be hostile.
enum PictureDecoder {
  /// `reading` is what the program makes of pixels, if it does.
  static func answer(
    _ request: WorkerRequest, to bytes: [UInt8],
    reading: ((PicturePixels) -> [UInt8])? = nil
  ) -> WorkerAnswer {
    do throws(ImageError) {
      switch request.kind {
      case .render: return .image(try renderWhatIsThere(request, bytes))
      case .checkPreview: return .image(try check(request, bytes))
      case .readPixels:
        guard let reading else {
          throw ImageError(.badRequest, detail: "the program reads no pixels")
        }
        return .read(reading(try pixels(request, bytes, bands: 3)))
      case .readBarcodes, .readBarcodesByDefault: return .barcodes(try readBarcodes(request, bytes))
      }
    } catch {
      return .error(error)
    }
  }

  /// Renders a picture, or of a broken one what is there: nobody can send it better, and others show
  /// it too.
  private static func renderWhatIsThere(
    _ request: WorkerRequest, _ bytes: [UInt8]
  ) throws(ImageError) -> RenderedImage {
    do throws(ImageError) {
      return try render(request, bytes)
    } catch {
      guard error.code == .truncated || error.code == .damaged,
        let image = try? render(request, bytes, isBroken: true)
      else { throw error }
      return image
    }
  }

  private static func render(
    _ request: WorkerRequest, _ bytes: [UInt8], isBroken: Bool = false
  ) throws(ImageError) -> RenderedImage {
    var message = [CChar](repeating: 0, count: Int(CVIPS_MESSAGE_BYTES))
    var picture = cvips_picture()
    let format = try format(of: bytes)
    let pixelsMax = pixelsMax(of: format, shrinks: request.kind == .render, request)
    let probed = bytes.withUnsafeBytes {
      cvips_probe(
        format.decoder, $0.baseAddress, $0.count, pixelsMax, isBroken, &picture, &message)
    }
    try require(probed, message)
    defer { cvips_free_probe(&picture) }
    let block = UnsafeBufferPointer(start: picture.exif, count: picture.exif_length)
    let exif = EXIF(Array(block))

    let plans = plans(of: picture, request)
    var renditions = request.longEdges.isEmpty ? [] : plans.map { $0.rendition }
    var plan = plans[0].taken(as: request.format.decoder, quality: request.quality)
    var average: UInt32 = 0
    let rendered = bytes.withUnsafeBytes {
      cvips_render(
        format.decoder, $0.baseAddress, $0.count, pixelsMax, isBroken, &plan,
        Int32(renditions.count), &renditions, &average, &message)
    }
    try require(rendered, message)
    defer { cvips_free_renditions(&renditions, Int32(renditions.count)) }
    return RenderedImage(
      width: Int(picture.width), height: Int(picture.height), format: format,
      captureTime: exif?.captureTime(now: CameraDate.now), hasLocation: exif?.hasLocation ?? false,
      placeholder: average,
      renditions: zip(request.longEdges, renditions).map { edge, rendition in
        let file = Array(UnsafeBufferPointer(start: rendition.bytes, count: rendition.length))
        return .init(
          longEdge: edge, width: Int(rendition.width), height: Int(rendition.height),
          bytes: request.format == .webp ? WebPChunks.withoutMetadata(file) : file)
      })
  }

  /// The most pixels that such a picture may have.
  private static func pixelsMax(
    of format: ImageFormat, shrinks: Bool, _ request: WorkerRequest
  ) -> Int64 {
    guard format == .jpeg, shrinks else { return Int64(request.pixelsMax) }
    let factor = Int64(ImageLimits.shrinkingFactor)
    let (pixels, overflow) = Int64(request.pixelsMax).multipliedReportingOverflow(by: factor)
    return overflow ? .max : pixels
  }

  /// A plan for each long edge, and at least one.
  private static func plans(
    of picture: cvips_picture, _ request: WorkerRequest
  ) -> [PicturePlan] {
    let stored = PictureSize(
      width: UInt32(clamping: picture.stored_width), height: UInt32(clamping: picture.stored_height)
    )
    let orientation = Orientation(rawValue: UInt8(clamping: picture.orientation))
    let edges = request.longEdges.isEmpty ? [nil] : request.longEdges.map { UInt32(clamping: $0) }
    return edges.map {
      PicturePlan(stored: stored, orientation: orientation, edit: request.edit, longEdge: $0)
    }
  }

  private static func check(
    _ request: WorkerRequest, _ bytes: [UInt8]
  ) throws(ImageError) -> RenderedImage {
    var request = request
    request.longEdges = []
    request.pixelsMax = CheckedPreview.longEdgeMax * CheckedPreview.longEdgeMax
    let content = PreviewBytes(bytes: bytes)
    let image: RenderedImage
    do throws(ImageError) {
      image = try render(request, bytes)
    } catch  where error.code == .tooManyPixels {
      throw ImageError(.badPreview, detail: error.detail)
    }
    let longEdge = max(image.width, image.height)
    guard longEdge <= CheckedPreview.longEdgeMax else {
      throw ImageError(.badPreview, detail: "\(image.width) x \(image.height) pixels")
    }
    switch image.format {
    case .jpeg:
      if content.jpegHasMetadata { throw ImageError(.previewHasMetadata) }
    case .webp:
      if content.webpHasMetadata { throw ImageError(.previewHasMetadata) }
    default: throw ImageError(.badPreview, detail: image.format.rawValue)
    }
    return image
  }

  private static func readBarcodes(
    _ request: WorkerRequest, _ bytes: [UInt8]
  ) throws(ImageError) -> [Barcode] {
    let grey = try pixels(request, bytes, bands: 1)
    let picture = GreyPicture(width: grey.width, height: grey.height, pixels: grey.bytes)
    let search = BarcodeSearch(symbologies: request.symbologies)
    return request.kind == .readBarcodes ? search.codes(in: picture) : search.byDefault(in: picture)
  }

  /// The picture's pixels, upright, with its longer side at most the request's long edge if it has one.
  private static func pixels(
    _ request: WorkerRequest, _ bytes: [UInt8], bands: Int32
  ) throws(ImageError) -> PicturePixels {
    var message = [CChar](repeating: 0, count: Int(CVIPS_MESSAGE_BYTES))
    var decoded = cvips_pixels()
    let format = try format(of: bytes)
    let longEdge = Int32(clamping: request.longEdges.first ?? 0)
    let status = bytes.withUnsafeBytes {
      cvips_decode_pixels(
        format.decoder, $0.baseAddress, $0.count,
        pixelsMax(of: format, shrinks: longEdge > 0, request), bands, longEdge, &decoded, &message)
    }
    try require(status, message)
    defer { cvips_free_pixels(&decoded) }
    let count = Int(decoded.width) * Int(decoded.height) * Int(bands)
    return PicturePixels(
      width: Int(decoded.width), height: Int(decoded.height),
      wholeWidth: Int(decoded.whole_width), wholeHeight: Int(decoded.whole_height),
      bytes: Array(UnsafeBufferPointer(start: decoded.bytes, count: count)))
  }

  private static func format(of bytes: [UInt8]) throws(ImageError) -> ImageFormat {
    guard let type = MediaType(head: bytes), type.isPicture else {
      throw ImageError(.notAnImage, detail: "no known signature")
    }
    guard let format = ImageFormat(type) else {
      throw ImageError(.unsupportedFormat, detail: type.rawValue)
    }
    return format
  }

  private static func require(_ status: cvips_status, _ message: [CChar]) throws(ImageError) {
    let code: ImageError.Code
    switch status {
    case CVIPS_OK: return
    case CVIPS_TOO_MANY_PIXELS: code = .tooManyPixels
    case CVIPS_TRUNCATED: code = .truncated
    case CVIPS_OUT_OF_MEMORY: code = .tooLargeForMemory
    case CVIPS_FAILED: code = .workerUnavailable
    default: code = .damaged
    }
    let text = message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    throw ImageError(code, detail: String(decoding: text, as: UTF8.self))
  }
}

extension PicturePlan {
  /// What to take of the picture, and how to turn and encode it.
  fileprivate func taken(as format: cvips_format, quality: Int) -> cvips_plan {
    cvips_plan(
      x: Int32(clamping: source.x), y: Int32(clamping: source.y),
      width: Int32(clamping: source.width), height: Int32(clamping: source.height),
      orientation: Int32(orientation.rawValue), format: format, quality: Int32(quality))
  }

  /// A rendition that is still to be made.
  fileprivate var rendition: cvips_rendition {
    cvips_rendition(
      width: Int32(clamping: size.width), height: Int32(clamping: size.height), bytes: nil,
      length: 0)
  }
}

extension ImageFormat {
  /// Nil for what is not decoded.
  fileprivate init?(_ type: MediaType) {
    guard let format = Self.allCases.first(where: { $0.contentType == type.rawValue }) else {
      return nil
    }
    self = format
  }

  fileprivate var decoder: cvips_format {
    switch self {
    case .jpeg: CVIPS_FORMAT_JPEG
    case .png: CVIPS_FORMAT_PNG
    case .webp: CVIPS_FORMAT_WEBP
    case .heic: CVIPS_FORMAT_HEIC
    case .avif: CVIPS_FORMAT_AVIF
    case .gif: CVIPS_FORMAT_GIF
    }
  }
}
