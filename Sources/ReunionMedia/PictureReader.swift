/// Has the program's own code read pictures from strangers, in a separate process.
///
/// ```swift
/// ImageWorker.runIfAsked { pixels in [pixels.bytes.max() ?? 0] }  // first thing in main
/// let reader = PictureReader(longEdge: 1000)
/// let brightest = try await reader.read("/photos/1.heic")
/// ```
///
/// The code runs behind the walls of ``ImageWorker``: it has the pixels, and opens nothing. The process
/// starts with the first picture and ends with the reader, as an ``ImageRenderer``'s does; people take
/// turns by the time that they use. A picture that kills it costs only itself.
///
/// *Thread*: any; calls wait without blocking a thread of the caller. Cancelling a task does not stop
/// its picture.
public final class PictureReader: Sendable {
  private let limits: ImageLimits
  private let longEdge: Int
  private let workers: Workers

  /// Creates a reader whose worker is this same program, which must call
  /// ``ImageWorker/runIfAsked(reading:)`` first thing in its `main`.
  ///
  /// - Parameters:
  ///   - longEdge: The most pixels along the longer side; a larger picture is made smaller, which is
  ///     fastest for JPEG. 1 to ``ImageRenderer/longEdgeMax``.
  ///   - limits: Bounds on what one picture may cost.
  public convenience init(longEdge: Int, limits: ImageLimits = ImageLimits()) {
    self.init(
      program: ImageWorker.ownProgram, arguments: [ImageWorker.argument], longEdge: longEdge,
      limits: limits)
  }

  /// Creates a reader with another program as its worker.
  package init(program: String, arguments: [String], longEdge: Int, limits: ImageLimits) {
    self.limits = limits
    self.longEdge = longEdge
    workers = Workers(
      .init(program: program, arguments: arguments, memoryBytesMax: limits.memoryBytesMax),
      limits: limits, label: "reunion.pictures")
  }

  deinit { workers.stop() }

  /// What the program's code makes of a picture.
  ///
  /// - Parameters:
  ///   - path: A regular file of at most ``ImageLimits/fileBytesMax`` bytes, in any format of
  ///     ``ImageFormat``; its name does not matter.
  ///   - person: The person whose work it is, for taking turns.
  ///   - group: The group that the person belongs to, such as a network: groups take turns first.
  /// - Returns: The bytes that the code gave.
  /// - Throws: ``ImageError``, whose description is a sentence for a person.
  public func read(_ path: String, by person: UInt64 = 0, in group: UInt64 = 0)
    async throws(ImageError) -> [UInt8]
  {
    guard let request = WorkerRequest(.readPixels, longEdges: [longEdge], limits: limits) else {
      throw ImageError(.badRequest)
    }
    guard
      case .read(let bytes) = try await workers.answer(request, of: path, by: person, in: group)
    else {
      throw ImageError(.workerDied, detail: "another answer than was asked for")
    }
    return bytes
  }
}
