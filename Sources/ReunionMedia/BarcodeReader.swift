import Dispatch

/// Finds barcodes in pictures from strangers, in a separate process.
///
/// A picture may hold several codes, of several symbologies, turned by any angle, or light on dark;
/// the reader applies the picture's orientation first. It looks for codes in copies of the picture
/// at several sizes, and if it finds none, in sharpened, evenly lit and turned copies as well. So a
/// picture without a code costs most: about half a second for two megapixels.
///
/// ```swift
/// ImageWorker.runIfAsked()  // first thing in main
/// let reader = BarcodeReader()
/// for code in try await reader.read("/photos/poster.jpg") {
///   print(code.symbology, code.text, code.corners[0])
/// }
/// ```
///
/// The process starts with the first picture and ends with the reader, as an ``ImageRenderer``'s
/// does; pictures queue in the order of the calls. A picture that kills it costs only itself.
///
/// *Thread*: any; calls wait without blocking a thread of the caller. Cancelling a task does not stop
/// its picture.
public final class BarcodeReader: Sendable {
  private let queue = DispatchQueue(label: "reunion.barcodes")
  private let limits: ImageLimits
  private let host: WorkerHost
  private let kind: WorkerRequest.Kind

  /// Creates a reader whose worker is this same program, which must call
  /// ``ImageWorker/runIfAsked(reading:)`` first thing in its `main`.
  ///
  /// - Parameter limits: Bounds on what one picture may cost. If ``ImageLimits/picturesPerWorker``
  ///   is 1, each picture has a process to itself.
  public convenience init(limits: ImageLimits = ImageLimits()) {
    self.init(
      program: ImageWorker.ownProgram, arguments: [ImageWorker.argument], limits: limits)
  }

  /// Creates a reader with another program as its worker, or with zxing's own options.
  package init(
    program: String, arguments: [String], limits: ImageLimits, byDefault: Bool = false
  ) {
    self.limits = limits
    kind = byDefault ? .readBarcodesByDefault : .readBarcodes
    host = WorkerHost(
      .init(program: program, arguments: arguments, memoryBytesMax: limits.memoryBytesMax),
      limits: limits)
  }

  deinit {
    let host = host
    queue.async { host.stop() }
  }

  /// Finds the codes in a picture.
  ///
  /// - Parameters:
  ///   - path: A regular file of at most ``ImageLimits/fileBytesMax`` bytes, in any format of
  ///     ``ImageFormat``; its name does not matter.
  ///   - symbologies: What to look for; less is faster.
  /// - Returns: The codes, in the order in which they were found. Two codes with the same text at
  ///   different places are two codes.
  /// - Throws: ``ImageError``, whose description is a sentence for a person.
  public func read(
    _ path: String, for symbologies: Set<Symbology> = Set(Symbology.allCases)
  ) async throws(ImageError) -> [Barcode] {
    guard
      var request = WorkerRequest(kind, limits: limits)
    else { throw ImageError(.badRequest) }
    request.symbologies = symbologies.reduce(0) { $0 | $1.bit }
    guard
      case .barcodes(let codes) = try await host.answer(request, of: path, by: 0, in: 0, on: queue)
    else {
      throw ImageError(.workerDied, detail: "another answer than was asked for")
    }
    return codes.compactMap { $0.told(to: symbologies) }
  }

  /// What the worker is doing, for tests.
  var state: WorkerHost.State { host.state }
}

extension Barcode {
  /// The code as who asks for these symbologies gets it: nil where it is none of them.
  func told(to symbologies: Set<Symbology>) -> Barcode? {
    guard !symbologies.contains(symbology) else { return self }
    guard symbology == .code39, symbologies.contains(.code39Mod43),
      let body = Code39Check.body(of: text)
    else { return nil }
    return Barcode(
      symbology: .code39Mod43, text: body, bytes: Array(body.utf8), corners: corners)
  }
}
