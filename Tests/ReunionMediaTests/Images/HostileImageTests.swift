import Foundation
import Testing

@testable import ReunionMedia

@Suite(.serialized) struct HostileImageTests {
  private let studio: Studio

  init() throws {
    studio = try Studio()
  }

  private func code(
    _ bytes: some Collection<UInt8>, limits: ImageLimits = .patient
  ) async throws -> ImageError.Code? {
    let path = try studio.file("photo.jpg", bytes)
    do throws(ImageError) {
      _ = try await (limits == .patient ? Studio.renderer : studio.renderer(limits))
        .render(path, longEdges: [320])
      return nil
    } catch {
      #expect(error.description.hasSuffix("."))
      return error.code
    }
  }

  @Test(arguments: [
    "", "<!doctype html><title>Not found</title>",
    "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9'/></svg>",
    "%PDF-1.4", "P6 1 1 255 abc", "#?RADIANCE\n", "id=ImageMagick",
  ])
  func `calls what is no picture no picture, whatever its name`(text: String) async throws {
    #expect(try await code(Array(text.utf8)) == .notAnImage)
  }

  @Test(arguments: [".tif", ".jp2"])
  func `refuses formats that it does not decode`(suffix: String) async throws {
    let picture = try? Picture.quadrants(suffix)
    #expect(try await code(picture ?? Array("BM....".utf8)) == .unsupportedFormat)
  }

  @Test(arguments: [".jpg[Q=95]", ".jpg[Q=95,interlace]", ".png", ".gif"])
  func `a picture that ends early is shown as far as it goes, and a preview is not taken`(
    suffix: String
  ) async throws {
    let whole = try Picture.quadrants(suffix, width: 400, height: 300, noise: 60)
    for count in [2, whole.count * 3 / 100, whole.count / 2, whole.count * 4 / 5] {
      let path = try studio.file("cut", whole.dropLast(count))
      let image = try await Studio.renderer.render(path, longEdges: [2048, 320])
      #expect(image.width == 400 && image.height == 300 && image.renditions.count == 2)
      let pixels = try Pixels(image.renditions[0].bytes)
      // Its first rows are there; nothing was, where a picture is given up for its last ones.
      let red = pixels[100, 10]
      #expect(zip(red, [220, 30, 30]).allSatisfy { abs($0 - $1) <= 90 }, "\(count): \(red)")
      #expect(count > whole.count / 10 || pixels.areUprightQuadrants, "\(count)")
      // A device that sends it as a preview has it whole, and is asked to send it again.
      await #expect(throws: ImageError.self) { try await Studio.renderer.check(preview: path) }
    }
    #expect(try await code(whole.prefix(100)) != nil)
  }

  @Test(arguments: [".webp", ".heif[compression=av1]", ".heif[compression=hevc]"])
  func `one of which nothing decodes is an error at every length`(suffix: String) async throws {
    let whole = try Picture.quadrants(suffix, width: 400, height: 300, noise: 60)
    #expect(try await code(whole) == nil)
    for part in [0.05, 0.2, 0.5, 0.9] {
      let code = try await code(whole.prefix(Int(Double(whole.count) * part)))
      #expect(code == .truncated || code == .damaged, "\(part)")
    }
  }

  @Test func `a JPEG with bytes behind its end is shown`() async throws {
    let whole = try Picture.quadrants(".jpg[Q=95]")
    let junk = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let image = try await Studio.renderer.render(
      try studio.file("junk", whole + junk), longEdges: [96])
    #expect(try Pixels(image.renditions[0].bytes).areUprightQuadrants)
  }

  @Test func `a JPEG, which shrinks while it is decoded, may have five times as many pixels`()
    async throws
  {
    var limits = ImageLimits.patient
    limits.pixelsMax = 1_300
    let jpeg = try Picture.quadrants(".jpg")
    let progressive = try Picture.quadrants(".jpg[interlace]")
    let png = try Picture.quadrants(".png")
    #expect(try await code(jpeg, limits: limits) == nil)
    #expect(try await code(progressive, limits: limits) == nil)
    #expect(try await code(png, limits: limits) == .tooManyPixels)
    limits.pixelsMax = 1_200
    #expect(try await code(jpeg, limits: limits) == .tooManyPixels)
    limits.pixelsMax = .max
    #expect(try await code(jpeg, limits: limits) == nil)
  }

  @Test(arguments: [("", 12_000, 9_000), ("[interlace]", 12_001, 9_001)])
  func `108 megapixels of a phone are shown`(
    options: String, width: Int32, height: Int32
  ) async throws {
    let picture = try Picture.quadrants(".jpg\(options)", width: width, height: height)
    let image = try await Studio.renderer.render(
      try studio.file("108", picture), longEdges: [2048, 320])
    #expect(image.width == width && image.height == height)
    #expect(image.renditions.map(\.width) == [2048, 320])
    for rendition in image.renditions { #expect(try Pixels(rendition.bytes).areUprightQuadrants) }
    guard options.isEmpty else {
      // All of it is in memory: where that is not enough, it is the memory that lacks.
      var limits = ImageLimits.patient
      limits.memoryBytesMax = 350 << 20
      #expect(try await code(picture, limits: limits) == .tooLargeForMemory)
      return
    }
  }

  @Test func `refuses 900 megapixels from the header, in milliseconds`() async throws {
    let bomb = try studio.file("bomb.png", try Picture.blackPNG(side: 30_000))
    let renderer = studio.renderer()
    _ = try await renderer.render(try studio.file("a", Picture.quadrants(".png")), longEdges: [32])
    let start = ContinuousClock.now
    do throws(ImageError) {
      _ = try await renderer.render(bomb, longEdges: [320])
      Issue.record("rendered 900 megapixels")
    } catch {
      #expect(error.code == .tooManyPixels)
    }
    let elapsed = ContinuousClock.now - start
    print("900 megapixels refused in \(elapsed)")
  }

  @Test func `the same size is no obstacle to who raises the limit`() async throws {
    var limits = ImageLimits.patient
    limits.pixelsMax = 30_000
    let picture = try Picture.blackPNG(side: 200)
    #expect(try await code(picture, limits: limits) == .tooManyPixels)
    limits.pixelsMax = 40_000
    #expect(try await code(picture, limits: limits) == nil)
    limits.fileBytesMax = picture.count - 1
    #expect(try await code(picture, limits: limits) == .tooManyBytes)
  }

  @Test(arguments: [".webp", ".heif[compression=av1,effort=0]"])
  func `48 megapixels pass, and are no damage where the memory is not enough`(
    suffix: String
  ) async throws {
    let picture = try Picture.quadrants(suffix, width: 8_000, height: 6_000)
    #expect(try await code(picture) == nil)
    var limits = ImageLimits.patient
    limits.memoryBytesMax = 400 << 20
    #expect(try await code(picture, limits: limits) == .tooLargeForMemory)
    // A small one that is damaged stays damaged, however little memory there is.
    var small = try Picture.quadrants(".webp")
    for index in small.indices.dropFirst(30) { small[index] = 0xA5 }
    #expect(try await code(small, limits: limits) == .damaged)
  }

  @Test func `lives through garbage, and then makes a good picture`() async throws {
    let renderer = studio.renderer()
    var random = Seeded(seed: 2026)
    let starts: [[UInt8]] = [
      [], [0xFF, 0xD8, 0xFF, 0xE0], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
      Array("RIFF\u{10}\u{10}\u{0}\u{0}WEBPVP8 ".utf8), Array("GIF89a".utf8),
      [0, 0, 0, 24] + Array("ftypheic\0\0\0\0mif1heic".utf8),
      [0, 0, 0, 24] + Array("ftypavif\0\0\0\0mif1avif".utf8),
    ]
    for index in 0..<100 {
      let garbage = (0..<Int.random(in: 1...4000, using: &random)).map { _ in
        UInt8.random(in: .min ... .max, using: &random)
      }
      let path = try studio.file("garbage", starts[index % starts.count] + garbage)
      await #expect(throws: ImageError.self) {
        try await renderer.render(path, longEdges: [320])
      }
    }
    let good = try studio.file("good", Picture.quadrants(".jpg"))
    #expect(try await renderer.render(good, longEdges: [32]).width == 96)
  }

  @Test(arguments: [".jpg", ".png", ".webp", ".gif", ".heif[compression=av1]"])
  func `lives through pictures with flipped bits`(suffix: String) async throws {
    let renderer = studio.renderer()
    var random = Seeded(seed: 7)
    let picture = try Picture.quadrants(suffix, orientation: 6, metadata: true)
    for _ in 0..<40 {
      var flipped = picture
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        let at = Int.random(in: flipped.indices, using: &random)
        flipped[at] ^= 1 << UInt8.random(in: 0...7, using: &random)
      }
      _ = try? await renderer.render(try studio.file("flipped", flipped), longEdges: [64])
    }
    let good = try studio.file("good", picture)
    #expect(try await renderer.render(good, longEdges: [32]).renditions.count == 1)
  }

  @Test func `refuses requests and files that make no sense`() async throws {
    let renderer = studio.renderer()
    let good = try studio.file("good", Picture.quadrants(".jpg"))
    for (path, edges, code) in [
      (good, [0], ImageError.Code.badRequest), (good, [16_384], .badRequest),
      (good, Array(1...9), .badRequest), ("", [1], .badRequest), ("a\0b", [1], .badRequest),
      (good + ".missing", [1], .unreadable), ("/dev/zero", [1], .unreadable),
      (studio.folder.path, [1], .unreadable),
    ] {
      do throws(ImageError) {
        _ = try await renderer.render(path, longEdges: edges)
        Issue.record("accepted \(path) \(edges)")
      } catch {
        #expect(error.code == code)
      }
    }
    #expect(try await renderer.render(good, longEdges: []).renditions.isEmpty)
  }
}

/// SplitMix64, so that garbage is the same in every run.
struct Seeded: RandomNumberGenerator {
  var seed: UInt64

  mutating func next() -> UInt64 {
    seed &+= 0x9E37_79B9_7F4A_7C15
    var value = seed
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
