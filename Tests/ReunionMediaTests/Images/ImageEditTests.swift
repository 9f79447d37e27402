import Foundation
import ReunionCore
import Testing

@testable import ReunionMedia

/// Crop, turn and encode; the pixels themselves are compared with other libraries' in
/// `Tests/Journeys/journeys_pictures.py`.
@Suite struct ImageEditTests {
  private let studio: Studio

  init() throws {
    studio = try Studio()
  }

  /// The quadrants of the test pictures by their place.
  private static let colors = [[220, 30, 30], [30, 200, 40], [30, 40, 210], [245, 245, 245]]

  /// A crop of one quadrant, 0 top left to 3 bottom right.
  private static func quadrant(_ index: Int) -> PictureCrop {
    let half = PictureCrop.parts / 2
    let (x, y) = (index % 2 == 1, index / 2 == 1)
    return PictureCrop(
      left: x ? half + 1 : 0, top: y ? half + 1 : 0, right: x ? PictureCrop.parts : half,
      bottom: y ? PictureCrop.parts : half) ?? .whole
  }

  private func near(_ found: [Int], _ wanted: [Int]) -> Bool {
    zip(found, wanted).allSatisfy { abs($0 - $1) <= 30 }
  }

  @Test(arguments: [".jpg[Q=95]", ".png", ".webp[Q=95]"], 1...8)
  func `a crop of the upright picture is the same whatever the orientation`(
    suffix: String, orientation: Int
  ) async throws {
    // Stored so that the upright picture is 64 x 48 for every orientation.
    let (width, height): (Int32, Int32) = orientation >= 5 ? (48, 64) : (64, 48)
    let picture =
      suffix == ".png"
      ? try Picture.taggedPNG(orientation: Int32(orientation), width: width, height: height)
      : try Picture.quadrants(
        suffix, width: width, height: height, orientation: Int32(orientation))
    let path = try studio.file("tagged", picture)
    for index in 0..<4 {
      for turns in [0, 1] {
        let edit = PictureEdit(crop: Self.quadrant(index), quarterTurns: turns)
        let image = try await Studio.renderer.render(path, longEdges: [999, 8], edit: edit)
        #expect(image.width == 64 && image.height == 48)
        let sizes = image.renditions.map { [$0.width, $0.height] }
        #expect(sizes == (turns == 0 ? [[32, 24], [8, 6]] : [[24, 32], [6, 8]]))
        for rendition in image.renditions {
          let pixels = try Pixels(rendition.bytes)
          #expect(pixels.width == rendition.width && pixels.height == rendition.height)
          // What is lossless is so to the last pixel of its edges.
          let inset = suffix == ".png" ? 0 : 2
          let (right, bottom) = (pixels.width - 1 - inset, pixels.height - 1 - inset)
          let corners = [(inset, inset), (right, inset), (inset, bottom), (right, bottom)]
          for (x, y) in corners { #expect(near(pixels[x, y], Self.colors[index]), "\(index)") }
        }
      }
    }
  }

  @Test(arguments: ["av1", "hevc"])
  func `a crop of a HEIF picture follows its box, and not EXIF`(compression: String) async throws {
    let tagged = try Picture.quadrants(".heif[compression=\(compression),Q=95]", orientation: 6)
    let boxed = try #require(RotationBox.inserted(into: tagged, quarterTurns: 3))
    let path = try studio.file("boxed-\(compression)", boxed)
    for index in 0..<4 {
      let edit = PictureEdit(crop: Self.quadrant(index), quarterTurns: 3)
      let image = try await Studio.renderer.render(path, longEdges: [999], edit: edit)
      let pixels = try Pixels(image.renditions[0].bytes)
      #expect(image.width == 64 && image.height == 96)
      #expect(pixels.width == 48 && pixels.height == 32)
      #expect(near(pixels[24, 16], Self.colors[index]))
    }
  }

  @Test func `four turns are none, and one turn moves the corners clockwise`() async throws {
    let path = try studio.file("a.png", Picture.quadrants(".png"))
    var found: [[Int]] = []
    for turns in 0..<4 {
      let edit = PictureEdit(quarterTurns: turns)
      let image = try await Studio.renderer.render(path, longEdges: [999], edit: edit, as: .png)
      let pixels = try Pixels(image.renditions[0].bytes)
      let corners = [
        pixels[0, 0], pixels[pixels.width - 1, 0], pixels[0, pixels.height - 1],
        pixels[pixels.width - 1, pixels.height - 1],
      ]
      found.append(corners.map { Self.colors.firstIndex(of: $0) ?? -1 })
    }
    #expect(found == [[0, 1, 2, 3], [2, 0, 3, 1], [3, 2, 1, 0], [1, 3, 0, 2]])
  }

  @Test(arguments: [ImageFormat.jpeg, .png, .webp])
  func `encodes what was asked for, without metadata`(format: ImageFormat) async throws {
    let picture = try Picture.quadrants(
      ".jpg[Q=95]", orientation: 6, metadata: true, profile: "p3")
    let path = try studio.file("a", picture)
    let edit = PictureEdit(crop: Self.quadrant(0), quarterTurns: 1)
    let image = try await Studio.renderer.render(path, longEdges: [999, 9], edit: edit, as: format)
    #expect(image.format == .jpeg && image.hasLocation)
    for rendition in image.renditions {
      let again = try await Studio.renderer.render(
        try studio.file("b", rendition.bytes), longEdges: [])
      #expect(again.format == format)
      #expect(again.width == rendition.width && again.height == rendition.height)
      #expect(again.captureTime == nil && !again.hasLocation)
      for word in ["Exif", "eXIf", "EXIF", "GPS", "secret", "ICC", "iCCP", "2024:05"] {
        #expect(Data(rendition.bytes).range(of: Data(word.utf8)) == nil, "\(word)")
      }
    }
    do throws(ImageError) {
      _ = try await Studio.renderer.render(path, longEdges: [9], as: .heic)
      Issue.record("encoded HEIC")
    } catch {
      #expect(error.code == .badRequest)
    }
  }

  @Test func `transparency stays in PNG and WebP, and is white in JPEG`() async throws {
    // A 1 x 1 GIF whose only pixel is transparent.
    let gif: [UInt8] =
      Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0]
      + [0x21, 0xF9, 4, 1, 0, 0, 0, 0] + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0]
      + [2, 2, 0x44, 1, 0, 0x3B]
    let path = try studio.file("a.gif", gif)
    for (format, isTransparent) in [(ImageFormat.png, true), (.webp, true), (.jpeg, false)] {
      let image = try await Studio.renderer.render(path, longEdges: [9], as: format)
      #expect(try Picture.hasAlpha(image.renditions[0].bytes) == isTransparent, "\(format)")
    }
  }

  @Test func `a lower quality is a smaller file`() async throws {
    let path = try studio.file(
      "a.png", Picture.quadrants(".png", width: 300, height: 200, noise: 40))
    var sizes: [Int] = []
    for quality in [20, 60, 95] {
      let image = try await Studio.renderer.render(path, longEdges: [300], quality: quality)
      sizes.append(image.renditions[0].bytes.count)
    }
    #expect(sizes == sizes.sorted() && sizes[0] * 2 < sizes[2])
  }

  @Test func `a decoder that hangs is ended, and the next picture is made`() async throws {
    var limits = ImageLimits.patient
    limits.secondsMax = 1
    let renderer = studio.renderer(limits)
    let hanging = try studio.file("hanging.png", Picture.quadrants(".png", width: 4242, height: 2))
    do throws(ImageError) {
      _ = try await renderer.render(hanging, longEdges: [32])
      Issue.record("rendered a picture on which the decoder hangs")
    } catch {
      #expect(error.code == .tooSlow)
      #expect(error.description.contains("JPEG"))
    }
    let good = try studio.file("good.png", Picture.quadrants(".png", width: 4241, height: 2))
    // It has a second as well, which a busy machine may take from it: then it is asked for again.
    var width: Int?
    while width == nil {
      do throws(ImageError) {
        width = try await renderer.render(good, longEdges: [32]).width
      } catch {
        try #require(error.code == .tooSlow)
      }
    }
    #expect(width == 4241 && renderer.state.workersStarted >= 2)
  }
}
