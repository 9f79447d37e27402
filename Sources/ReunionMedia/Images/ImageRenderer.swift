public import ReunionCore

/// Makes upright, cropped, turned, scaled and stripped renditions of pictures from outside, in a
/// separate process.
///
/// One warm worker process serves one renderer, and a second one takes the pictures that cost much:
/// more than 12.5 megapixels (62.5 of a JPEG), 24 MiB, or a second of computing. In both, each
/// person's pictures queue in the order of the calls, and who has used the least time is next:
/// beside somebody with a thousand pictures you wait for one. Groups of people take turns in the
/// same way first: beside a thousand people of one network you wait for one. A worker starts with its first
/// picture. A new one starts after ``ImageLimits/picturesPerWorker`` pictures, after a picture that
/// killed it, after one that took too long, and after one for which it had too little memory: a
/// fresh worker tries that picture again before it is refused. A picture that kills the worker
/// costs only itself. The workers end with the renderer, and with this process however that dies.
///
/// ```swift
/// ImageWorker.runIfAsked()  // first thing in main
/// let renderer = ImageRenderer()
/// let image = try await renderer.render("/photos/1.heic", longEdges: [2048, 320])
/// for copy in image.renditions { print(copy.width, copy.height, copy.bytes.count) }
/// let turned = PictureEdit(quarterTurns: 1)
/// _ = try await renderer.render("/photos/1.heic", longEdges: [2048], edit: turned, as: .webp)
/// ```
///
/// *Thread*: any; calls wait without blocking a thread of the caller. A waiting call holds only its
/// arguments. Callers limit how many wait, or ``ImageLimits/waitingMax`` does. Cancelling a task
/// does not stop its picture.
public final class ImageRenderer: Sendable {
  /// Most pixels along the long edge of a rendition. Every photo in its full size is smaller.
  public static let longEdgeMax = WorkerRequest.longEdgePixelsMax

  private let limits: ImageLimits
  let workers: Workers

  /// Creates a renderer whose worker is this same program, which must call
  /// ``ImageWorker/runIfAsked(reading:)`` first thing in its `main`.
  public convenience init(limits: ImageLimits = ImageLimits()) {
    self.init(
      program: ImageWorker.ownProgram, arguments: [ImageWorker.argument], limits: limits)
  }

  /// Creates a renderer with another program as its worker.
  package init(
    program: String, arguments: [String], limits: ImageLimits, startSecondsMax: Int = 60,
    sandbox: ImageSandbox = .ofThisMachine
  ) {
    self.limits = limits
    workers = Workers(
      .init(
        program: program, arguments: arguments, memoryBytesMax: limits.memoryBytesMax,
        sandbox: sandbox, startSecondsMax: startSecondsMax),
      limits: limits, label: "reunion.images")
  }

  deinit { workers.stop() }

  /// Makes renditions of a picture, the largest from the original and each from the one before.
  ///
  /// Only the file's bytes matter, not its name. A rendition has the size that `PicturePlan` says,
  /// and never more pixels than the part of the picture that the edit shows. Orientation is EXIF's;
  /// HEIC and AVIF have their own in the container, and their EXIF orientation is ignored.
  /// Transparency stays in PNG and WebP, and becomes white in JPEG.
  ///
  /// - Parameters:
  ///   - path: A regular file of at most ``ImageLimits/fileBytesMax`` bytes.
  ///   - longEdges: Up to eight sizes of 1 to ``longEdgeMax`` pixels, in any order; with an empty
  ///     list the picture is still decoded fully. `longEdgeMax` returns a photo in its full size.
  ///   - edit: The crop and the quarter turns of the upright picture.
  ///   - format: JPEG, PNG or WebP.
  ///   - quality: For JPEG and WebP, 1 to 100; nil for ``ImageLimits/quality``.
  ///   - person: The person whose work it is, for taking turns: any number of the caller's.
  ///   - group: To whom this person belongs, such as a network: groups take turns before people do.
  /// - Returns: What the picture is, and its renditions, largest first.
  /// - Throws: ``ImageError``, whose description is a sentence for a person.
  public func render(
    _ path: String, longEdges: [Int], edit: PictureEdit = .original, as format: ImageFormat = .jpeg,
    quality: Int? = nil, by person: UInt64 = 0, in group: UInt64 = 0
  ) async throws(ImageError) -> RenderedImage {
    try await perform(
      WorkerRequest(
        .render, longEdges: longEdges, edit: edit, format: format, quality: quality,
        limits: limits), of: path, by: person, in: group)
  }

  /// Checks a preview that a phone made: JPEG or WebP, at most 640 pixels and 128 KiB, which
  /// decodes to its end and carries no metadata.
  ///
  /// EXIF that holds only orientation, colour space and dimensions is accepted, since iPhones write
  /// it into every JPEG that a web page makes.
  ///
  /// - Parameters:
  ///   - path: A regular file.
  ///   - person: The person whose work it is, for taking turns.
  ///   - group: To whom this person belongs.
  /// - Returns: What the preview is.
  /// - Throws: ``ImageError`` with the code `badPreview` or `previewHasMetadata`, or any code of
  ///   ``render(_:longEdges:edit:as:quality:by:in:)``.
  public func check(
    preview path: String, by person: UInt64 = 0, in group: UInt64 = 0
  ) async throws(ImageError) -> CheckedPreview {
    let image = try await perform(
      WorkerRequest(.checkPreview, limits: limits), of: path, by: person, in: group)
    return CheckedPreview(
      width: image.width, height: image.height, format: image.format,
      placeholder: image.placeholder)
  }

  /// What the workers are doing, for tests.
  var state: WorkerHost.State { workers.state }

  private func perform(
    _ request: WorkerRequest?, of path: String, by person: UInt64, in group: UInt64
  ) async throws(ImageError) -> RenderedImage {
    guard let request else { throw ImageError(.badRequest) }
    guard
      case .image(let image) = try await workers.answer(request, of: path, by: person, in: group)
    else {
      throw ImageError(.workerDied, detail: "another answer than was asked for")
    }
    return image
  }
}
