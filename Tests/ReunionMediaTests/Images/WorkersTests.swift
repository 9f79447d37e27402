import Foundation
import Testing
import Waiting

@testable import ReunionMedia

/// Pictures that cost much beside pictures that do not.
@Suite(.serialized) struct WorkersTests {
  private let studio: Studio
  private let good: String

  init() throws {
    studio = try Studio()
    good = try studio.file("good.jpg", Picture.quadrants(".jpg"))
  }

  /// A picture of that many pixels, which the decoder never finishes.
  private func hanging(pixels: Int32) throws -> String {
    try studio.file("hanging", Picture.quadrants(".png", width: 4242, height: pixels / 4242))
  }

  /// Waits until the worker for costly pictures has one that never ends, does something, and ends that
  /// worker: what came of the picture, and of what was done.
  private func beside<Result: Sendable>(
    _ path: String, _ renderer: ImageRenderer, _ body: () async throws -> Result
  ) async throws -> (code: ImageError.Code?, result: Result) {
    let hanging = Task { try await renderer.render(path, longEdges: [32], by: 1) }
    try await eventually("the worker has the picture") { renderer.workers.patient.state.isBusy }
    let result = try await body()
    let worker = try #require(renderer.workers.patient.state.identifier)
    #expect(renderer.workers.patient.state.isBusy)
    kill(worker, SIGKILL)
    do {
      _ = try await hanging.value
      return (nil, result)
    } catch let error as ImageError {
      return (error.code, result)
    }
  }

  @Test func `nobody's small picture waits for a large one`() async throws {
    var limits = ImageLimits.patient
    limits.quick.pixelsMax = 10_000
    let renderer = studio.renderer(limits)
    let large = try hanging(pixels: 5 * 4242)
    let done = try await beside(large, renderer) {
      // By the same person, too.
      for person in [2, 1] as [UInt64] {
        _ = try await renderer.render(good, longEdges: [32], by: person)
      }
      return renderer.state.workersStarted
    }
    #expect(done.code == .workerDied && done.result == 2)
    // The other one is made anew where it is needed.
    let wide = try studio.file("wide", Picture.quadrants(".png", width: 400, height: 300))
    #expect(try await renderer.render(wide, longEdges: [32]).width == 400)
    #expect(renderer.state.workersStarted == 3)
  }

  @Test func `nobody's small picture waits for one that never ends`() async throws {
    var limits = ImageLimits.patient
    limits.quick.computingSecondsMax = 1
    let renderer = studio.renderer(limits)
    let small = try hanging(pixels: 4242)
    // After a second of computing the first worker has no part in it.
    let done = try await beside(small, renderer) { renderer.workers.quick.state }
    #expect(done.code == .workerDied && !done.result.isBusy && done.result.identifier == nil)
    #expect(try await renderer.render(good, longEdges: [32]).width == 96)
  }

  @Test func `a bound of what is soon done is no verdict, and a bound of the request is one`()
    throws
  {
    let request = try #require(WorkerRequest(.render, longEdges: [32], limits: ImageLimits()))
    let quick = request.bounded(by: ImageLimits.Quick())
    #expect(quick.pixelsMax == 12_500_000 && quick.computingSecondsMax == 1)
    #expect(quick.fileBytesMax == 24 << 20 && request.fileBytesMax == 256 << 20)
    let bounds: [ImageError.Code] = [.tooManyPixels, .tooManyBytes, .tooSlow]
    let verdicts: [ImageError.Code] = [
      .notAnImage, .damaged, .tooLargeForMemory, .workerDied, .workerUnavailable, .badPreview,
    ]
    for code in bounds {
      #expect(quick.isExceeded(by: ImageError(code), before: request))
      #expect(!request.isExceeded(by: ImageError(code), before: request))
    }
    for code in verdicts { #expect(!quick.isExceeded(by: ImageError(code), before: request)) }
    // A request that asks for less than that is bounded by itself.
    var small = ImageLimits()
    small.pixelsMax = 1_000
    let asked = try #require(WorkerRequest(.checkPreview, limits: small))
    let bounded = asked.bounded(by: small.quick)
    #expect(bounded.pixelsMax == 1_000 && bounded.fileBytesMax == CheckedPreview.fileBytesMax)
    #expect(!bounded.isExceeded(by: ImageError(.tooManyPixels), before: asked))
  }
}
