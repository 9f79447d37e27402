import Dispatch

/// Makes upright, stripped renditions of pictures from outside, in a process of their own.
///
/// One warm worker process serves one renderer; pictures queue in the order of the calls. It starts
/// with the first picture, and again after ``ImageLimits/picturesPerWorker`` pictures, after a
/// picture that killed it, and after one that took too long. A picture that kills the worker costs
/// only itself. The worker ends with the renderer, and with this process however that dies.
///
/// ```swift
/// ImageWorker.runIfAsked()  // first thing in main
/// let renderer = ImageRenderer()
/// let image = try await renderer.render("/photos/1.heic", longEdges: [2048, 320])
/// ```
///
/// *Thread*: any; calls wait without blocking a thread of the caller. A waiting call holds its
/// arguments only: callers bound how many wait. Cancelling a task does not stop its picture.
public final class ImageRenderer: Sendable {
  private let queue = DispatchQueue(label: "reunion.images")
  private let limits: ImageLimits
  private let host: WorkerHost

  /// Creates a renderer whose worker is this same program, which must call
  /// ``ImageWorker/runIfAsked()`` first thing in its `main`.
  public convenience init(limits: ImageLimits = ImageLimits()) {
    self.init(
      program: ImageWorker.ownProgram, arguments: [ImageWorker.argument], limits: limits)
  }

  /// Creates a renderer with another program as its worker.
  package init(
    program: String, arguments: [String], limits: ImageLimits, startSecondsMax: Int = 15
  ) {
    self.limits = limits
    host = WorkerHost(
      .init(
        program: program, arguments: arguments, memoryBytesMax: limits.memoryBytesMax,
        startSecondsMax: startSecondsMax),
      picturesPerWorker: limits.picturesPerWorker)
  }

  deinit {
    let host = host
    queue.async { host.stop() }
  }

  /// Makes renditions of a picture, the largest from the original and each from the one before.
  ///
  /// The file's name does not matter, its bytes do. Renditions are never larger than the picture.
  ///
  /// - Parameters:
  ///   - path: A regular file of at most ``ImageLimits/fileBytesMax`` bytes.
  ///   - longEdges: Up to eight sizes of 1 to 8192 pixels, in any order; none decodes the picture
  ///     fully all the same.
  /// - Returns: What the picture is, and its renditions, largest first.
  /// - Throws: ``ImageError``, whose description is a sentence for a person.
  public func render(_ path: String, longEdges: [Int]) async throws(ImageError) -> RenderedImage {
    try await perform(WorkerRequest(.render, path: path, longEdges: longEdges, limits: limits))
  }

  /// Checks a preview that a phone made: JPEG or WebP, at most 640 pixels and 128 KiB, which decodes
  /// to its end and carries no metadata.
  ///
  /// EXIF that holds only orientation, colour space and dimensions is accepted, since iPhones write
  /// it into every JPEG that a web page makes.
  ///
  /// - Parameter path: A regular file.
  /// - Returns: What the preview is.
  /// - Throws: ``ImageError`` with the code `badPreview` or `previewHasMetadata`, or any code of
  ///   ``render(_:longEdges:)``.
  public func check(preview path: String) async throws(ImageError) -> CheckedPreview {
    let image = try await perform(
      WorkerRequest(.checkPreview, path: path, longEdges: [], limits: limits))
    return CheckedPreview(
      width: image.width, height: image.height, format: image.format,
      placeholder: image.placeholder)
  }

  /// What the worker is doing, for tests.
  var state: WorkerHost.State { host.state }

  private func perform(_ request: WorkerRequest?) async throws(ImageError) -> RenderedImage {
    guard let request else { throw ImageError(.badRequest) }
    guard case .image(let image) = try await host.answer(request, on: queue) else {
      throw ImageError(.workerDied, detail: "another answer than was asked for")
    }
    return image
  }
}
