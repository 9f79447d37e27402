import Foundation
import Testing

@testable import ReunionMedia

@Suite struct ImageRenderingTests {
  private let studio: Studio

  init() throws {
    studio = try Studio()
  }

  @Test(arguments: [".jpg[Q=95]", ".png", ".webp[Q=95]"], 1...8)
  func `shows every EXIF orientation upright`(suffix: String, orientation: Int) async throws {
    let renderer = Studio.renderer
    let turned = orientation >= 5
    let picture =
      suffix == ".png"
      ? try Picture.taggedPNG(orientation: Int32(orientation))
      : try Picture.quadrants(suffix, orientation: Int32(orientation))
    let image = try await renderer.render(
      try studio.file("tagged", picture), longEdges: [64, 2048, 32])
    #expect(image.width == (turned ? 64 : 96) && image.height == (turned ? 96 : 64))
    #expect(image.renditions.map(\.longEdge) == [2048, 64, 32])
    #expect(image.renditions.map { max($0.width, $0.height) } == [96, 64, 32])
    for rendition in image.renditions {
      let pixels = try Pixels(rendition.bytes)
      #expect(pixels.width == rendition.width && pixels.height == rendition.height)
      #expect((pixels.width < pixels.height) == turned)
      #expect(pixels.areUprightQuadrants)
    }
  }

  @Test(arguments: 2...8)
  func `without its tag a turned picture does not pass for upright`(
    orientation: Int
  ) async throws {
    let picture = try Picture.quadrants(".jpg[Q=95]", storedAs: Int32(orientation))
    let image = try await Studio.renderer.render(
      try studio.file("untagged", picture), longEdges: [64])
    #expect(try !Pixels(image.renditions[0].bytes).areUprightQuadrants)
  }

  @Test(arguments: [
    (".jpg[Q=95]", ImageFormat.jpeg), (".png", .png), (".webp", .webp), (".gif", .gif),
    (".heif[compression=av1,Q=90]", .avif), (".heif[compression=hevc,Q=90]", .heic),
  ])
  func `decodes each format by its bytes and whatever its name`(
    suffix: String, format: ImageFormat
  ) async throws {
    let path = try studio.file("photo.txt", try Picture.quadrants(suffix))
    let image = try await Studio.renderer.render(path, longEdges: [2048])
    #expect(image.format == format)
    #expect(image.width == 96 && image.height == 64)
    #expect(try Pixels(image.renditions[0].bytes).areUprightQuadrants)
    let average = image.placeholder
    #expect(abs(Int(average >> 16) - 131) < 12 && abs(Int(average & 0xFF) - 131) < 12)
  }

  @Test(arguments: ["av1", "hevc"])
  func `turns a HEIF picture by its own box, and not by EXIF as well`(
    compression: String
  ) async throws {
    let suffix = ".heif[compression=\(compression),Q=90]"
    // Stored as orientation 6 asks for, the way phones do: with the tag and with the box.
    let tagged = try Picture.quadrants(suffix, orientation: 6)
    let boxed = try #require(RotationBox.inserted(into: tagged, quarterTurns: 3))
    let image = try await Studio.renderer.render(
      try studio.file("boxed-\(compression)", boxed), longEdges: [96])
    #expect(image.width == 64 && image.height == 96)
    #expect(try Pixels(image.renditions[0].bytes).areUprightQuadrants)

    let unboxed = try await Studio.renderer.render(
      try studio.file("tagged-\(compression)", tagged), longEdges: [96])
    #expect(unboxed.width == 96 && unboxed.height == 64)
    #expect(try !Pixels(unboxed.renditions[0].bytes).areUprightQuadrants)
  }

  @Test(arguments: [".jpg[Q=95]", ".webp", ".png", ".heif[compression=av1]"])
  func `reads date and place and passes no metadata on`(suffix: String) async throws {
    let picture =
      suffix == ".png"
      ? try Picture.taggedPNG(orientation: 1, metadata: true)
      : try Picture.quadrants(suffix, orientation: 1, metadata: true, profile: "p3")
    #expect(revealing(picture))
    let image = try await Studio.renderer.render(
      try studio.file("a", picture), longEdges: [96, 48])
    #expect(image.captureTime?.wallMilliseconds == 1_714_979_289_000)
    #expect(image.captureTime?.clock == .original && image.captureTime?.zone == nil)
    #expect(image.hasLocation)
    for rendition in image.renditions { #expect(!revealing(rendition.bytes)) }

    let plain = try Picture.quadrants(suffix)
    let other = try await Studio.renderer.render(try studio.file("b", plain), longEdges: [96])
    #expect(other.captureTime == nil && !other.hasLocation)
  }

  @Test func `converts wide colours to sRGB before it drops their profile`() async throws {
    let wide = try Picture.quadrants(".png", profile: "p3")
    let plain = try Picture.quadrants(".png")
    let renderer = Studio.renderer
    let fromWide = try await renderer.render(try studio.file("wide", wide), longEdges: [96])
    let fromPlain = try await renderer.render(try studio.file("plain", plain), longEdges: [96])
    let red = try Pixels(fromWide.renditions[0].bytes)[24, 16]
    let plainRed = try Pixels(fromPlain.renditions[0].bytes)[24, 16]
    // Display P3 (220, 30, 30) is (240, 0, 0) in sRGB by its matrices.
    #expect(zip(red, [240, 0, 0]).allSatisfy { abs($0 - $1) <= 8 })
    #expect(zip(plainRed, [220, 30, 30]).allSatisfy { abs($0 - $1) <= 8 })
  }

  @Test func `puts transparent pictures on white`() async throws {
    // A 1 x 1 GIF whose only pixel is transparent.
    let gif: [UInt8] =
      Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0]
      + [0x21, 0xF9, 4, 1, 0, 0, 0, 0] + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0]
      + [2, 2, 0x44, 1, 0, 0x3B]
    let image = try await Studio.renderer.render(try studio.file("a", gif), longEdges: [10])
    #expect(image.placeholder == 0xFFFFFF)
    #expect(image.renditions[0].width == 1)
  }

  /// Whether bytes hold any trace of EXIF, GPS, XMP or a colour profile.
  private func revealing(_ bytes: [UInt8]) -> Bool {
    ["Exif", "EXIF", "eXIf", "GPS", "adobe", "secret", "ICC", "iCCP", "2024:05", "acsp"].contains {
      Data(bytes).range(of: Data($0.utf8)) != nil
    }
  }
}
