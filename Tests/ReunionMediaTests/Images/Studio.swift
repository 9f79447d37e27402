import CPictures
import Foundation
import Testing

@testable import ReunionMedia

/// A temporary folder of test pictures, and renderers whose worker is the fixture program.
final class Studio {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "studio-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  /// One renderer with the default limits for all tests that do not hurt it.
  static let renderer = makeRenderer(.patient, [ImageWorker.argument], 60)

  /// A renderer, and so a worker, of one's own.
  func renderer(
    _ limits: ImageLimits = .patient, arguments: [String] = [ImageWorker.argument],
    startSecondsMax: Int = 60, sandbox: ImageSandbox = .ofThisMachine
  ) -> ImageRenderer {
    Self.makeRenderer(limits, arguments, startSecondsMax, sandbox)
  }

  /// One reader of barcodes for all tests that do not hurt it.
  static let reader = makeReader(.patient, false)

  /// A reader of barcodes, and so a worker, of one's own.
  func barcodeReader(
    _ limits: ImageLimits = .patient, byDefault: Bool = false
  ) -> BarcodeReader {
    Self.makeReader(limits, byDefault)
  }

  private static func makeReader(_ limits: ImageLimits, _ byDefault: Bool) -> BarcodeReader {
    BarcodeReader(
      program: fixture, arguments: [ImageWorker.argument], limits: limits, byDefault: byDefault)
  }

  private static func makeRenderer(
    _ limits: ImageLimits, _ arguments: [String], _ startSecondsMax: Int,
    _ sandbox: ImageSandbox = .ofThisMachine
  ) -> ImageRenderer {
    ImageRenderer(
      program: fixture, arguments: arguments, limits: limits, startSecondsMax: startSecondsMax,
      sandbox: sandbox)
  }

  static var fixture: String {
    // The fixture is built into the folder that holds the test bundle.
    var built = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    while built.pathComponents.count > 1,
      !FileManager.default.fileExists(atPath: built.appending(path: program).path)
    {
      built.deleteLastPathComponent()
    }
    return built.appending(path: program).path
  }

  private static let program = "reunion-image-worker-fixture"

  /// Writes a file and returns its path.
  func file(_ name: String, _ bytes: some Collection<UInt8>) throws -> String {
    let url = folder.appending(path: name)
    try Data(bytes).write(to: url)
    return url.path
  }
}

extension ImageLimits {
  /// The default limits with time for a machine that does much else, in one worker.
  static var patient: ImageLimits {
    var limits = ImageLimits()
    limits.secondsMax = 300
    limits.quick = Quick(pixelsMax: .max, bytesMax: .max, computingSecondsMax: .max)
    return limits
  }
}

/// Bytes of test pictures.
enum Picture {
  struct Failure: Error { let message: String }

  /// Encodes quadrants: red, green, blue and white when upright.
  static func quadrants(
    _ suffix: String, width: Int32 = 96, height: Int32 = 64, orientation: Int32 = 0,
    storedAs: Int32 = 1, metadata: Bool = false, noise: Int32 = 0, profile: String? = nil
  ) throws -> [UInt8] {
    try taken { bytes, length in
      func make(_ profile: UnsafePointer<CChar>?) -> Int32 {
        var recipe = cpictures_recipe(
          width: width, height: height, orientation: orientation, stored_as: storedAs,
          has_metadata: metadata ? 1 : 0, noise: noise, profile: profile)
        return cpictures_make(&recipe, suffix, &bytes, &length)
      }
      guard let profile else { return make(nil) }
      return profile.withCString { make($0) }
    }
  }

  /// Gives a PNG the EXIF block that the encoder puts into a JPEG only (PNG 1.5 extension `eXIf`).
  static func taggedPNG(
    orientation: Int32, width: Int32 = 96, height: Int32 = 64, metadata: Bool = false
  ) throws -> [UInt8] {
    let png = try quadrants(".png", width: width, height: height, orientation: orientation)
    let jpeg = try quadrants(".jpg", orientation: orientation, metadata: metadata)
    guard let start = Data(jpeg).range(of: Data("Exif\0\0".utf8)) else {
      throw Failure(message: "no EXIF in the JPEG")
    }
    let length = Int(jpeg[start.lowerBound - 2]) << 8 | Int(jpeg[start.lowerBound - 1])
    let block = jpeg[start.upperBound..<start.lowerBound - 2 + length]
    let body = Array("eXIf".utf8) + block
    var tagged = Array(png[..<33])
    tagged += bigEndian(UInt32(block.count))
    tagged += body
    tagged += bigEndian(checksum(body))
    tagged += png[33...]
    return tagged
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// CRC-32 as in PNG.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 {
        let half = sum >> 1
        sum = sum & 1 == 1 ? half ^ 0xEDB8_8320 : half
      }
    }
    return ~sum
  }

  static func blackPNG(side: Int32) throws -> [UInt8] {
    try taken { cpictures_black_png(side, side, &$0, &$1) }
  }

  /// Whether a picture has transparency.
  static func hasAlpha(_ file: [UInt8]) throws -> Bool {
    let answer = cpictures_has_alpha(file, file.count)
    guard answer >= 0 else { throw Failure(message: String(cString: cpictures_error())) }
    return answer == 1
  }

  private static func taken(
    _ make: (inout UnsafeMutablePointer<UInt8>?, inout Int) -> Int32
  ) throws -> [UInt8] {
    var bytes: UnsafeMutablePointer<UInt8>?
    var length = 0
    let result = make(&bytes, &length)
    defer { cpictures_free(bytes) }
    guard result == 0 else { throw Failure(message: String(cString: cpictures_error())) }
    return Array(UnsafeBufferPointer(start: bytes, count: length))
  }
}

/// The pixels of a JPEG as stored, without any turning.
struct Pixels {
  let width: Int
  let height: Int
  private let bytes: [UInt8]

  init(_ file: [UInt8]) throws {
    var size: (Int32, Int32) = (0, 0)
    var pixels: UnsafeMutablePointer<UInt8>?
    guard cpictures_decode(file, file.count, &size.0, &size.1, &pixels) == 0 else {
      throw Picture.Failure(message: String(cString: cpictures_error()))
    }
    defer { cpictures_free(pixels) }
    (width, height) = (Int(size.0), Int(size.1))
    bytes = Array(UnsafeBufferPointer(start: pixels, count: width * height * 3))
  }

  subscript(x: Int, y: Int) -> [Int] {
    (0..<3).map { Int(bytes[(y * width + x) * 3 + $0]) }
  }

  /// Whether the middle of each quadrant has its colour, within what lossy coding changes.
  var areUprightQuadrants: Bool {
    let colors = [[220, 30, 30], [30, 200, 40], [30, 40, 210], [245, 245, 245]]
    return colors.indices.allSatisfy { index in
      let found = self[width * (index % 2 * 2 + 1) / 4, height * (index / 2 * 2 + 1) / 4]
      return zip(found, colors[index]).allSatisfy { abs($0 - $1) <= 30 }
    }
  }
}
