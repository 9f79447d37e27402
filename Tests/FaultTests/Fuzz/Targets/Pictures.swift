import CPictures
import Foundation
import ReunionCore

@testable import ReunionMedia

/// Pictures: what of them is read in our own process, what a worker gone wrong answers, and whole files
/// in the worker.
extension FuzzTarget {
  private static func picture(_ suffix: String, metadata: Bool = true) throws -> [UInt8] {
    var recipe = cpictures_recipe(
      width: 96, height: 64, orientation: 6, stored_as: 1, has_metadata: metadata ? 1 : 0,
      noise: 0, profile: nil)
    var (bytes, length): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
    guard cpictures_make(&recipe, suffix, &bytes, &length) == 0, let bytes else {
      throw Finding("no picture \(suffix): \(String(cString: cpictures_error()))")
    }
    defer { cpictures_free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: length))
  }

  /// A block of EXIF with a date and a place, either end first.
  private static func exifBlock(isLittle: Bool) -> [UInt8] {
    func number(_ value: Int, _ size: Int) -> [UInt8] {
      let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return isLittle ? bytes : bytes.reversed()
    }
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
      number(tag, 2) + number(type, 2) + number(count, 4) + number(value, 4)
    }
    let start: [UInt8] = isLittle ? [0x49, 0x49, 0x2A, 0] : [0x4D, 0x4D, 0, 0x2A]
    let first =
      number(3, 2) + entry(0x0112, 3, 1, 6) + entry(0x8769, 4, 1, 50)
      + entry(0x8825, 4, 1, 132) + number(0, 4)
    let exif =
      number(3, 2) + entry(0x9003, 2, 20, 92) + entry(0x9011, 2, 7, 112)
      + entry(0x9291, 2, 3, 0x3132_0000) + number(0, 4)
    let texts = [UInt8]("2026:07:01 18:30:00\u{0}+02:00\u{0}\u{0}2026:07:01\u{0}\u{0}".utf8)
    let place =
      number(4, 2) + entry(2, 5, 3, 50) + entry(4, 5, 3, 50) + entry(7, 5, 3, 186)
      + entry(0x1D, 2, 11, 120) + number(0, 4)
    let time = [16, 1, 30, 1, 5, 2].flatMap { number($0, 4) }
    return start + number(8, 4) + first + exif + texts + place + time
  }

  static let exif = FuzzTarget(
    name: "exif", inputsInFull: 490_000, bytesMax: 4 << 10,
    words: [
      "Exif\u{0}\u{0}", "II*\u{0}", "MM\u{0}*", "2026:07:01 18:30:00", "9999:99:99 99:99:99",
      "+14:00", "-99:99", "9999:99:99",
    ],
    samples: { [exifBlock(isLittle: true), exifBlock(isLittle: false)] }
  ) {
    { bytes in
      let exif = EXIF(bytes)
      let time = exif?.captureTime(now: .max)
      _ = (time?.instantMilliseconds, exif?.hasLocation, exif?.isOnlyTechnical)
      _ = exif?.captureTime(now: .min)
    }
  }

  static let previews = FuzzTarget(
    name: "previews", inputsInFull: 350_000, bytesMax: 16 << 10,
    words: [
      "JFIF\u{0}", "Exif\u{0}\u{0}", "ICC_PROFILE\u{0}", "VP8 ", "VP8X", "EXIF", "RIFF", "WEBP",
    ],
    samples: {
      try [picture(".jpg"), picture(".webp"), picture(".png"), picture(".jpg", metadata: false)]
        + MediaType.allCases.map { [UInt8]($0.rawValue) }
    }
  ) {
    { bytes in
      let preview = PreviewBytes(bytes: bytes)
      _ = (preview.jpegHasMetadata, preview.webpHasMetadata)
      _ = MediaType(head: bytes.prefix(MediaType.headBytes))
    }
  }

  /// A worker whose decoder was taken over may answer anything.
  static let workerAnswers = FuzzTarget(
    name: "worker-answers", inputsInFull: 400_000,
    samples: {
      let image = RenderedImage(
        width: 96, height: 64, format: .jpeg,
        captureTime: CaptureTime(
          wallMilliseconds: 1_800_000_000_000, clock: .original, offset: (7_200, .offset)),
        hasLocation: true, placeholder: 0x123456,
        renditions: [.init(longEdge: 320, width: 320, height: 213, bytes: [UInt8](0...200))])
      let code = Barcode(
        symbology: .qr, text: "http://a/#join=b", bytes: [1, 2], corners: [.init(x: 1, y: 2)])
      return [
        WorkerAnswer.image(image).packed, WorkerAnswer.barcodes([code, code]).packed,
        WorkerAnswer.error(ImageError(.unreadable, detail: "no")).packed,
        WorkerRequest(.render, longEdges: [2048, 320], limits: ImageLimits())?
          .packed
          ?? [],
      ]
    }
  ) {
    { bytes in
      _ = WorkerRequest(packed: bytes)
      guard case .image(let image) = WorkerAnswer(packed: bytes) else { return }
      _ = image.captureTime?.instantMilliseconds
    }
  }

  static let pictureFiles = FuzzTarget(
    name: "picture-files", inputsInFull: 10_000, bytesMax: 32 << 10,
    words: ["IHDR", "IDAT", "acTL", "iCCP", "eXIf", "JFIF", "Exif\u{0}\u{0}", "GIF89a"],
    samples: {
      try [".jpg", ".png", ".webp", ".gif", ".tif"].map { try picture($0) }
    }
  ) {
    var limits = ImageLimits()
    limits.pixelsMax = 1_000_000
    var built = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let program = "reunion-image-worker-fixture"
    while built.pathComponents.count > 1,
      !FileManager.default.fileExists(atPath: built.appending(path: program).path)
    {
      built.deleteLastPathComponent()
    }
    let renderer = ImageRenderer(
      program: built.appending(path: program).path, arguments: [ImageWorker.argument],
      limits: limits, startSecondsMax: 60)
    let file = Scratch.folder().appending(path: "picture")
    return { bytes in
      try Data(bytes).write(to: file)
      try Scratch.wait {
        let picture = try await renderer.render(file.path, longEdges: [64])
        try require(
          picture.renditions.allSatisfy { max($0.width, $0.height) <= 64 },
          "A rendition is larger than was asked for.")
      }
    }
  }
}

/// What readers need that write files or wait.
enum Scratch {
  /// Where all of it is, in memory where there is such a place; who sets it removes it.
  nonisolated(unsafe) static var root = newRoot()

  static func newRoot() -> URL {
    let memory = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"
    return URL(filePath: memory).appending(path: "fuzz-\(UUID())")
  }

  /// A folder of one's own.
  static func folder() -> URL {
    let folder = root.appending(path: "\(UUID())")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  private final class Result: @unchecked Sendable {
    var error: (any Error)?
  }

  /// Waits for what is asynchronous, on a thread that may.
  static func wait(_ body: @escaping @Sendable () async throws -> Void) throws {
    let (done, result) = (DispatchSemaphore(value: 0), Result())
    Task {
      do { try await body() } catch { result.error = error }
      done.signal()
    }
    done.wait()
    if let error = result.error { throw error }
  }
}
