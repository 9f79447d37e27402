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

  /// Whose turn it is where no device has caused it.
  private static let host: UInt64 = 0

  /// An original with an edit: what is decoded at once, and fails as one.
  private struct Source: Hashable {
    let hash: BlobHash
    let edit: PictureEdit
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
  private var verdicts: [BlobHash: UploadError] = [:]

  init(in path: String) throws {
    folder = URL(filePath: path, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Decodes an original, keeps its renditions, and tells what it is. Who asks for one that is being
  /// decoded waits for that.
  ///
  /// `device` has caused it, and waits its turn among others; `charge` is called where it is decoded now.
  ///
  /// - Throws: `UploadError`, 413 or 422 where no later attempt would end otherwise.
  func make(
    of hash: BlobHash, _ edit: PictureEdit = .original, at path: String, by device: UInt64,
    charge: () throws -> Void = {}
  ) async throws -> UploadFacts {
    let source = Source(hash: hash, edit: edit)
    if let verdict = verdicts[hash] { throw verdict }
    if let task = underWay[source] { return try await task.value }
    try charge()
    let task = Task {
      let image = try await rendered(source, path, longEdges: Self.longEdges, by: device) {
        .longEdge($0)
      }
      return UploadFacts(
        width: image.width, height: image.height, contentType: image.format.contentType,
        takenMilliseconds: image.captureDate.map { $0 * 1000 }, color: Int(image.placeholder))
    }
    underWay[source] = task
    defer { underWay[source] = nil }
    return try await task.value
  }

  /// Makes the full size of an edit for the host, which is swept a while later.
  func makeFull(_ rendition: Rendition, at path: String) async throws {
    let source = Source(hash: rendition.original, edit: rendition.edit)
    if let verdict = verdicts[source.hash] { throw verdict }
    if let task = fullUnderWay[source] { return try await task.value }
    let task = Task {
      let edges = [ImageRenderer.longEdgeMax]
      _ = try await rendered(
        source, path, longEdges: edges, quality: Self.fullQuality, by: Self.host
      ) { _ in .full }
    }
    fullUnderWay[source] = task
    defer { fullUnderWay[source] = nil }
    try await task.value
  }

  private func rendered(
    _ source: Source, _ path: String, longEdges: [Int], quality: Int? = nil, by device: UInt64,
    size: (Int) -> Rendition.Size
  ) async throws -> RenderedImage {
    do {
      let image = try await renderer.render(
        path, longEdges: longEdges, edit: source.edit, quality: quality, by: device)
      for made in image.renditions {
        let rendition = Rendition(of: source.hash, edit: source.edit, size: size(made.longEdge))
        try Data(made.bytes).write(to: file(rendition), options: .atomic)
      }
      failures[source.hash] = nil
      return image
    } catch let error as ImageError {
      throw judged(error, source.hash)
    } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
      throw UploadError(507, "The album's disk is full. The photo goes when there is room.")
    }
  }

  /// What to tell of a picture that failed; what is final is remembered.
  private func judged(_ error: ImageError, _ hash: BlobHash) -> UploadError {
    var told = UploadError(error)
    if [.workerDied, .tooSlow].contains(error.code) {
      failures[hash, default: 0] += 1
      if failures[hash, default: 0] >= Self.failuresMax {
        told = UploadError(422, error.description)
      }
    }
    guard told.status != 503 else { return told }
    failures[hash] = nil
    if verdicts.count >= Self.verdictsMax { verdicts.removeAll() }
    verdicts[hash] = told
    return told
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
