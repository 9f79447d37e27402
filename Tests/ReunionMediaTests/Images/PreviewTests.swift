import Foundation
import Testing

@testable import ReunionMedia

@Suite struct PreviewTests {
  private let studio: Studio

  init() throws {
    studio = try Studio()
  }

  private func code(_ bytes: some Collection<UInt8>) async throws -> ImageError.Code? {
    let path = try studio.file("preview", bytes)
    do throws(ImageError) {
      _ = try await Studio.renderer.check(preview: path)
      return nil
    } catch {
      return error.code
    }
  }

  @Test(arguments: [
    ".jpg[strip]", ".jpg[strip,interlace]", ".webp[strip]", ".webp[strip,lossless]",
  ])
  func `accepts a small JPEG or WebP without metadata`(suffix: String) async throws {
    let picture = try Picture.quadrants(suffix, width: 640, height: 480)
    let preview = try await Studio.renderer.check(
      preview: try studio.file("preview", picture))
    #expect(preview.width == 640 && preview.height == 480)
    #expect(preview.format == (suffix.hasPrefix(".jpg") ? .jpeg : .webp))
    #expect(abs(Int(preview.placeholder >> 16) - 131) < 12)
  }

  @Test(arguments: [".jpg", ".webp"])
  func `refuses metadata in a preview`(suffix: String) async throws {
    let told = try Picture.quadrants(suffix, orientation: 1, metadata: true)
    #expect(try await code(told) == .previewHasMetadata)
    let plain = try Picture.quadrants(suffix + "[strip]")
    #expect(try await code(plain) == nil)
    #expect(try await code(plain + Array("a video with a voice".utf8)) == .previewHasMetadata)
  }

  @Test func `accepts the EXIF that iPhones write into every JPEG of a web page`() async throws {
    let plain = try Picture.quadrants(".jpg[strip]")
    // Big-endian: one directory that names another, with colour space, width and height.
    func segment(_ tag: [UInt8]) -> [UInt8] {
      let tiff: [UInt8] =
        Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 0x87, 0x69, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0x1A]
        + [0, 0, 0, 0] + [0, 2] + tag + [0, 3, 0, 0, 0, 1, 0, 1, 0, 0]
        + [0xA0, 2, 0, 4, 0, 0, 0, 1, 0, 0, 0, 96, 0, 0, 0, 0]
      return [0xFF, 0xE1, 0, UInt8(tiff.count + 8)] + Array("Exif\0\0".utf8) + tiff
    }
    func inserted(_ segment: [UInt8]) -> [UInt8] { plain.prefix(2) + segment + plain.dropFirst(2) }
    #expect(try await code(inserted(segment([0xA0, 1]))) == nil)
    // The same with UserComment in the place of the colour space.
    #expect(try await code(inserted(segment([0x92, 0x86]))) == .previewHasMetadata)
    #expect(try await code(inserted([0xFF, 0xFE, 0, 4, 65, 66])) == .previewHasMetadata)
  }

  @Test func `refuses previews that are too large, or not JPEG or WebP`() async throws {
    #expect(try await code(Picture.quadrants(".png")) == .badPreview)
    #expect(try await code(Picture.quadrants(".jpg[strip]", width: 641)) == .badPreview)
    #expect(
      try await code(Picture.quadrants(".jpg[strip]", width: 4000, height: 3000)) == .badPreview)
    let heavy = try Picture.quadrants(".jpg[strip,Q=99]", width: 640, height: 640, noise: 200)
    #expect(heavy.count > CheckedPreview.fileBytesMax)
    #expect(try await code(heavy) == .badPreview)
    #expect(try await code(Array("<html>".utf8)) == .notAnImage)
  }

  @Test(arguments: [".jpg[strip]", ".webp[strip]"])
  func `refuses a preview that ends early`(suffix: String) async throws {
    let picture = try Picture.quadrants(suffix, noise: 50)
    for part in 1...9 {
      #expect(try await code(picture.prefix(picture.count * part / 10)) != nil)
    }
  }
}
