import Foundation
import Testing

@testable import ReunionMedia

/// What a program reads of pixels, in the worker.
@Suite struct PictureReaderTests {
  private let studio: Studio

  init() throws { studio = try Studio() }

  private func reader(_ longEdge: Int, _ arguments: String...) -> PictureReader {
    PictureReader(
      program: Studio.fixture, arguments: [ImageWorker.argument] + arguments, longEdge: longEdge,
      limits: .patient)
  }

  /// Those of `Picture.quadrants`, from the top left on: red, green, blue and white.
  private static let colours = [[220, 30, 30], [30, 200, 40], [30, 40, 210], [245, 245, 245]]

  @Test(arguments: [".jpg", ".png", ".webp", ".heic", ".avif", ".gif"])
  func `every format comes upright, in red, green and blue, at most so large`(
    _ suffix: String
  ) async throws {
    let file = try studio.file(
      "picture", Picture.quadrants(suffix, width: 960, height: 640))
    let read = try await reader(300).read(file)
    func number(_ at: Int) -> Int { Int(read[at]) << 8 | Int(read[at + 1]) }
    let sizes: [Int] = [number(0), number(2), number(4), number(6)]
    #expect(sizes == [300, 200, 960, 640] as [Int], "\(suffix)")
    for (at, wanted) in Self.colours.enumerated() {
      let found = read[(8 + at * 3)..<(11 + at * 3)].map(Int.init)
      #expect(zip(found, wanted).allSatisfy { abs($0 - $1) < 12 }, "\(suffix) \(at): \(found)")
    }
    #expect(read.last == 1)
  }

  @Test(arguments: [Int32(1), 3, 6, 8])
  func `a picture that is stored turned is upright, and its whole size too`(
    _ orientation: Int32
  ) async throws {
    let file = try studio.file(
      "turned.jpg",
      Picture.quadrants(
        ".jpg", width: 960, height: 640, orientation: orientation, storedAs: orientation))
    let read = try await reader(16_000).read(file)
    func number(_ at: Int) -> Int { Int(read[at]) << 8 | Int(read[at + 1]) }
    #expect(number(0) == number(4) && number(2) == number(6))
    #expect(Set([number(0), number(2)]) == [960, 640])
    for (at, wanted) in Self.colours.enumerated() {
      let found = read[(8 + at * 3)..<(11 + at * 3)].map(Int.init)
      #expect(zip(found, wanted).allSatisfy { abs($0 - $1) < 12 }, "\(orientation) \(at): \(found)")
    }
  }

  @Test func `what is no picture is refused, and a program that reads no pixels says so`()
    async throws
  {
    let text = try studio.file("letter.jpg", Array("a letter".utf8))
    await #expect(throws: ImageError(.notAnImage, detail: "no known signature")) {
      try await reader(300).read(text)
    }
    let picture = try studio.file("picture.png", Picture.quadrants(".png"))
    await #expect(throws: ImageError(.badRequest, detail: "the program reads no pixels")) {
      try await reader(300, "no-reading").read(picture)
    }
    await #expect(throws: ImageError(.badRequest)) { try await reader(0).read(picture) }
  }
}
