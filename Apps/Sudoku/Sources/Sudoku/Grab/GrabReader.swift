import Foundation
import ReunionMedia
import ReunionServer

/// Reads photographs of Sudokus in the process that decodes pictures.
final class GrabReader: Sendable {
  /// What a page may send: a phone's photograph, as it is.
  static let bytesMax = 12 << 20
  static let fileBytesMax = 64 << 20
  private let reader: PictureReader

  init() {
    var limits = ImageLimits()
    limits.pixelsMax = 60_000_000
    limits.fileBytesMax = Self.fileBytesMax
    limits.secondsMax = 15
    limits.waitingMax = 4
    reader = PictureReader(longEdge: 1000, limits: limits)
  }

  /// What the worker answers to a picture; empty if there is no grid.
  static func answer(_ pixels: PicturePixels) -> [UInt8] {
    guard let grab = Grab(pixels), let json = try? JSONEncoder().encode(grab) else { return [] }
    return Array(json)
  }

  /// What was read of a file; nil if there is no grid.
  ///
  /// - Throws: `ImageError`, whose description is a sentence for a person.
  func read(file path: String, by sender: Sender? = nil) async throws -> Grab? {
    let answer = try await reader.read(
      path, by: sender?.device ?? 0, in: sender?.network ?? 0)
    guard !answer.isEmpty else { return nil }
    return try JSONDecoder().decode(Grab.self, from: Data(answer))
  }

  /// What was read of a picture's bytes, which are in a file meanwhile.
  func read(_ bytes: [UInt8], by sender: Sender?) async throws -> Grab? {
    let file = FileManager.default.temporaryDirectory.appending(path: "sudoku-\(UUID())")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try await read(file: file.path, by: sender)
  }
}
