import Foundation
import Reunion
import ReunionMedia
import ReunionServer

/// The renditions of originals: files that are made once, and again where they are gone.
///
/// Bytes from outside are decoded in the renderer's worker process alone.
actor Renditions {
  static let longEdges = [2048, 320]
  /// How often a picture may end the worker or its patience before it is given up.
  static let failuresMax = 3
  /// Verdicts that are remembered; a picture that is forgotten is tried again.
  private static let verdictsMax = 10_000
  /// How old a rendition is at least when it is swept: one may come before its photo's record.
  private static let sweptSeconds = 600.0

  /// The quality of full sizes, which people keep.
  static let fullQuality = 92

  /// The sender of work that no device has caused.
  private static let host = Sender(device: 0)

  /// An original with an edit: what is decoded at once, and fails as one.
  private struct Source: Hashable {
    let hash: BlobHash
    let edit: PictureEdit
  }

  /// What came of a picture that cannot be shown, for good.
  private enum Verdict {
    /// It is no picture at all.
    case refused(UploadError)
    /// Its bytes are kept, and nothing is made of them.
    case kept(UploadFacts)

    func facts() throws -> UploadFacts {
      switch self {
      case .refused(let error): throw error
      case .kept(let facts): return facts
      }
    }
  }

  private let folder: URL
  private let renderer: ImageRenderer = {
    var limits = ImageLimits()
    limits.waitingMax = 100
    return ImageRenderer(limits: limits)
  }()
  private var underWay: [Source: Task<UploadFacts, any Error>] = [:]
  private var fullUnderWay: [Source: Task<Void, any Error>] = [:]
  private var failures: [BlobHash: Int] = [:]
  private var verdicts: [BlobHash: Verdict] = [:]

  init(in path: String) throws {
    folder = URL(filePath: path, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Decodes an original, keeps its renditions, and tells what it is. A call for one that is being
  /// decoded waits for that. Of a picture that cannot be shown it tells that (`isShown`).
  ///
  /// `sender` has caused it, and waits its turn among others; `charge` is called where it is decoded now.
  ///
  /// - Throws: `UploadError`, 422 for what is no picture; else a later attempt may end otherwise.
  func make(
    of hash: BlobHash, _ edit: PictureEdit = .original, at path: String, by sender: Sender,
    charge: () throws -> Void = {}
  ) async throws -> UploadFacts {
    let source = Source(hash: hash, edit: edit)
    if let verdict = verdicts[hash] { return try verdict.facts() }
    if let task = underWay[source] { return try await task.value }
    try charge()
    let task = Task {
      do {
        let image = try await rendered(
          source, path, longEdges: Self.longEdges, by: sender
        ) {
          .longEdge($0)
        }
        // A clock without a zone is taken for UTC's, as long as the records have one number for both.
        let taken = image.captureTime.map { $0.instantMilliseconds ?? $0.wallMilliseconds }
        return UploadFacts(
          width: image.width, height: image.height, contentType: image.format.contentType,
          takenMilliseconds: taken, color: Int(image.placeholder))
      } catch let error as ImageError {
        return try judged(error, source).facts()
      }
    }
    underWay[source] = task
    defer { underWay[source] = nil }
    return try await task.value
  }

  /// Makes the full size of an edit for the host, which is swept a while later.
  func makeFull(_ rendition: Rendition, at path: String) async throws {
    let source = Source(hash: rendition.original, edit: rendition.edit)
    if let task = fullUnderWay[source] { return try await task.value }
    let task = Task {
      let edges = [ImageRenderer.longEdgeMax]
      do {
        _ = try await rendered(
          source, path, longEdges: edges, quality: Self.fullQuality, by: Self.host
        ) { _ in .full }
      } catch let error as ImageError {
        // It says nothing of smaller ones: a large JPEG has those, and not this.
        throw UploadError(error)
      }
    }
    fullUnderWay[source] = task
    defer { fullUnderWay[source] = nil }
    try await task.value
  }

  private func rendered(
    _ source: Source, _ path: String, longEdges: [Int], quality: Int? = nil, by sender: Sender,
    size: (Int) -> Rendition.Size
  ) async throws -> RenderedImage {
    do {
      let image = try await renderer.render(
        path, longEdges: longEdges, edit: source.edit, quality: quality, by: sender.device,
        in: sender.network)
      for made in image.renditions {
        let rendition = Rendition(of: source.hash, edit: source.edit, size: size(made.longEdge))
        try Data(made.bytes).write(to: file(rendition), options: .atomic)
      }
      failures[source.hash] = nil
      return image
    } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
      throw UploadError(507, "The album's disk is full. The photo goes when there is room.")
    }
  }

  /// What comes of a picture that failed, for good; what is final is remembered.
  private func judged(_ error: ImageError, _ source: Source) throws -> Verdict {
    let hash = source.hash
    let told = UploadError(error)
    if [.workerDied, .tooSlow].contains(error.code) { failures[hash, default: 0] += 1 }
    let isGivenUp = failures[hash, default: 0] >= Self.failuresMax
    guard told.status != 503 || isGivenUp else { throw told }
    failures[hash] = nil
    let verdict: Verdict =
      error.code == .notAnImage ? .refused(told) : .kept(.unshown(why: error.whyUnshown))
    // An edit may take more than the picture as it was taken.
    guard source.edit == .original else { return verdict }
    if verdicts.count >= Self.verdictsMax { verdicts.removeAll() }
    verdicts[hash] = verdict
    return verdict
  }

  /// The file of a rendition, which may not be there.
  nonisolated func file(_ rendition: Rendition) -> URL {
    folder.appending(path: "\(rendition).jpg")
  }

  /// Deletes full sizes, and the renditions of originals and edits that nobody shows any more; what is
  /// shown again is made again.
  nonisolated func sweep(
    now: Date = Date(), isShown: (BlobHash, PictureEdit) throws -> Bool
  ) rethrows {
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: [.contentModificationDateKey])
    for file in files ?? [] {
      let parts = file.deletingPathExtension().lastPathComponent.split(separator: "-")
        .map(String.init)
      let values = try? file.resourceValues(forKeys: [.contentModificationDateKey])
      guard file.pathExtension == "jpg", 2...3 ~= parts.count, let hash = BlobHash(parts[0]),
        let edit = parts.count == 3 ? PictureEdit(parts[2]) : .original,
        let made = values?.contentModificationDate,
        made.addingTimeInterval(Self.sweptSeconds) < now
      else { continue }
      if parts[1] != "full", try isShown(hash, edit) { continue }
      // What cannot be deleted now is tried again at the next sweep.
      try? FileManager.default.removeItem(at: file)
    }
  }
}

extension UploadError {
  /// What a picture's failure means for the phone that sends it: 503 for a failure of this machine,
  /// which says nothing about the picture; 413 for one that is beyond it, 422 for what no machine
  /// shows. The details go to the log.
  init(_ error: ImageError) {
    let detail = error.detail.unicodeScalars.map {
      $0.properties.generalCategory == .control ? " " : "\($0)"
    }
    let line = "albums: a picture was not taken: \(error.code): \(detail.joined())\n"
    FileHandle.standardError.write(Data(line.utf8))
    switch error.code {
    case .workerUnavailable, .workerDied, .tooSlow, .unreadable, .tooManyWaiting:
      self.init(503, error.description)
    case .tooLargeForMemory, .tooManyPixels, .tooManyBytes: self.init(413, error.description)
    default: self.init(422, error.description)
    }
  }
}

extension UploadFacts {
  /// Whether pictures can be made of it: what decodes has a size.
  var isShown: Bool { width > 0 }

  /// Facts of an original of which no picture can be made.
  static func unshown(why sentence: String) -> UploadFacts {
    var facts = UploadFacts(width: 0, height: 0, contentType: "application/octet-stream")
    facts.unshown = sentence
    return facts
  }
}

extension ImageError {
  /// Why an original is kept and not shown, for its sender, who need not do anything.
  fileprivate var whyUnshown: String {
    switch code {
    case .tooManyPixels, .tooLargeForMemory: "It has more pixels than the album can show."
    case .unsupportedFormat: "The album cannot show this kind of picture."
    case .truncated, .damaged: "It is damaged or incomplete."
    default: "It could not be read."
    }
  }
}
