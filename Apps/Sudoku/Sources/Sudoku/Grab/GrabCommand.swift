import Foundation
import ReunionMedia
import Synchronization

/// `sudoku grab`: the Sudokus in photographs.
struct GrabCommand {
  private static let help = """
    Usage: sudoku grab FILE… [--json]

    Reads printed Sudokus in photographs (JPEG, PNG, WebP, HEIC, AVIF, GIF), however they are turned.
    Prints 81 characters for each, row by row, with a dot for an empty cell, and says what is in doubt.
    With --json an object for each picture: {"file", "cells", "isPuzzle", "isSure", "doubts" (cells
    from 0), "confidence" (of the least likely cell, 0 to 1), "corners" (x and y of the four, clockwise
    from the grid's own top left, in pixels of the upright picture), "width", "height"}; {"file",
    "error"} for one in which nothing was read.

    Exit codes: 0 read, 1 no Sudoku was found, or no picture could be read, 2 not understood, 5 some of
    the pictures could not be read.
    """

  /// Ends the process with a code if the arguments are for it; otherwise returns at once.
  static func runIfAsked() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.first == "grab" else { return }
    let words = arguments.dropFirst()
    guard !words.contains("--help"), !words.contains("-h") else {
      print(help)
      exit(0)
    }
    let files = words.filter { $0 != "--json" }
    if let option = files.first(where: { $0.hasPrefix("-") && $0 != "-" }) {
      fail(2, "\(option) is not an option. See sudoku grab --help.")
    }
    guard !files.isEmpty else { fail(2, "Say which pictures: sudoku grab FILE… See --help.") }
    let command = GrabCommand(isJSON: words.contains("--json"), isOnly: files.count == 1)
    let code = Mutex<Int32?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task {
      let end = await command.run(files)
      code.withLock { $0 = end }
      done.signal()
    }
    done.wait()
    exit(code.withLock { $0 } ?? 1)
  }

  private static func fail(_ code: Int32, _ sentence: String) -> Never {
    warn(sentence)
    exit(code)
  }

  private static func warn(_ sentence: String) {
    FileHandle.standardError.write(Data("sudoku: \(sentence)\n".utf8))
  }

  let isJSON: Bool
  let isOnly: Bool

  private func run(_ files: [String]) async -> Int32 {
    let reader = GrabReader()
    var (found, broken) = (0, 0)
    for file in files {
      do {
        if let grab = try await file == "-"
          ? reader.read(input(), by: nil) : reader.read(file: file)
        {
          found += 1
          try say(grab, of: file)
        } else {
          say(Grab.noGrid, of: file)
        }
      } catch {
        broken += 1
        say((error as? ImageError)?.description ?? "\(error)", of: file)
      }
    }
    return broken > 0 && broken < files.count ? 5 : found == 0 ? 1 : 0
  }

  /// The picture that comes by standard input.
  private func input() throws -> [UInt8] {
    var bytes = Data()
    while let more = try FileHandle.standardInput.read(upToCount: 1 << 20), !more.isEmpty {
      bytes += more
      guard bytes.count <= GrabReader.fileBytesMax else { throw ImageError(.tooManyBytes) }
    }
    return Array(bytes)
  }

  private func say(_ grab: Grab, of file: String) throws {
    guard !isJSON else {
      let fields = try JSONSerialization.jsonObject(with: JSONEncoder().encode(grab))
      return write((fields as? [String: Any] ?? [:]).merging(["file": file]) { $1 })
    }
    print((isOnly ? "" : "\(Self.onOneLine(file)): ") + grab.cells)
    guard !grab.isSure else { return }
    let cells = grab.doubts.map { "R\($0 / 9 + 1)C\($0 % 9 + 1)" }.joined(separator: ", ")
    Self.warn(
      (grab.isPuzzle ? "" : "These digits are no puzzle with one solution. ")
        + (cells.isEmpty ? "Look at each of them." : "Look at \(cells)."))
  }

  private func say(_ sentence: String, of file: String) {
    guard !isJSON else { return write(["file": file, "error": sentence]) }
    Self.warn(isOnly ? sentence : "\(Self.onOneLine(file)): \(sentence)")
  }

  private func write(_ fields: [String: Any]) {
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
    guard let line = try? JSONSerialization.data(withJSONObject: fields, options: options) else {
      return
    }
    print(String(decoding: line, as: UTF8.self))
  }

  private static func onOneLine(_ text: String) -> String {
    text.replacing(/[[:cntrl:]]/, with: "?")
  }
}
